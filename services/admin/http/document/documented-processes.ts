import { healthSchema } from '#base/http';
import type { Documented } from './documented.ts';

const COMMON = { method: 'get', tag: 'Processes', isOpen: true, parameters: [] } as const;
const HEALTH = { schema: healthSchema, example: { health: 'GOOD' } };

/** The operations that every service offers to its operators. */
export const PROCESS_OPERATIONS: readonly Documented[] = [
  {
    ...COMMON,
    id: 'getHealth',
    path: '/health',
    summary: 'Whether the process is alive',
    description: 'For liveness probes.',
    answer: { status: 200, description: 'The process is alive.', ...HEALTH },
    problems: [500],
  },
  {
    ...COMMON,
    id: 'getReadiness',
    path: '/ready',
    summary: 'Whether the process can do its work',
    description: 'For readiness probes and load balancers.',
    answer: { status: 200, description: 'The process is ready.', ...HEALTH },
    problems: [500, 503],
  },
  {
    ...COMMON,
    id: 'getAdminReadiness',
    path: '/ready/admin',
    summary: 'Whether the admin API can answer, if the process serves it beside ingest',
    description:
      'For load balancers in front of the admin API of `flagmeter start`. Its `/ready` is that of ingest.',
    answer: { status: 200, description: 'The admin API is ready.', ...HEALTH },
    problems: [404, 500, 503],
  },
  {
    ...COMMON,
    id: 'getMetrics',
    path: '/internal-backstage/prometheus',
    summary: 'The metrics of the process, for Prometheus',
    description: 'docs/operate/watch/metrics.md lists the metrics to watch.',
    answer: {
      status: 200,
      description: 'The metrics in the text format of Prometheus.',
      contentType: 'text/plain',
      schema: { type: 'string' },
      example: 'flagmeter_accounting_balanced 1\n',
    },
    problems: [500],
  },
];
