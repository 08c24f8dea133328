import type { FromSchema } from 'json-schema-to-ts';
import {
  applicationsSchema,
  compileQuery,
  featureMetricsSchema,
  featureUsageSchema,
  unknownFlagsSchema,
} from '#contract';
import type { Stores } from '../stores.ts';
import { type Operation, nameParameter } from '../operation.ts';
import { limitParameter } from '../limit-parameter.ts';

const COMMON = { method: 'get', tag: 'Usage', permission: 'READ' } as const;
const HOUR = { environment: 'production', timestamp: '2026-11-21T10:00:00.000Z', yes: 812, no: 41 };
const VERDICT = {
  environment: 'production',
  verdict: 'always_on',
  since: '2026-10-22T00:00:00.000Z',
  value: 81_200,
  threshold: 1000,
  subject: null,
  sentence: 'Each of its 81200 evaluations from 2026-10-22 to 2026-11-20 was enabled.',
};
const FEATURE = { version: 1, maturity: 'stable', featureName: 'new-basket' };

/** What is counted, as an admin UI shows it. */
export function usageOperations({
  usage,
  applications,
  unknownFlags,
}: Pick<Stores, 'usage' | 'applications' | 'unknownFlags'>): Operation[] {
  return [
    ...featureOperations(usage),
    listApplications(applications),
    {
      ...COMMON,
      id: 'listUnknownFlags',
      path: '/api/admin/metrics/unknown-flags',
      summary: 'Features that applications evaluate and that do not exist, latest first: at most 100 names',
      answer: {
        status: 200,
        description: 'The unknown features.',
        schema: unknownFlagsSchema,
        example: {
          unknownFlags: [
            {
              name: 'new-baskte',
              appName: 'web-shop',
              environment: 'production',
              lastSeenAt: '2026-11-21T10:00:00.000Z',
              count: 12,
              nearestName: 'new-basket',
            },
          ],
        },
      },
      run: () => unknownFlags.list(),
    },
  ];
}

const byHourQuery = {
  type: 'object',
  properties: {
    hoursBack: {
      type: 'integer',
      minimum: 1,
      maximum: 48,
      default: 24,
      description: 'Number of hours, including the current one.',
    },
  },
} as const;

type ByHourQuery = FromSchema<typeof byHourQuery>;

function featureOperations(usage: Stores['usage']): Operation<ByHourQuery>[] {
  const path = '/api/admin/client-metrics/features/{featureName}';
  return [
    {
      ...COMMON,
      id: 'getFeatureUsage',
      path,
      summary:
        'Evaluations of a feature in this hour, the applications of the last 7 days, and the verdicts on it',
      answer: {
        status: 200,
        description: 'The usage; empty for a feature that was not evaluated.',
        schema: featureUsageSchema,
        example: { ...FEATURE, lastHourUsage: [HOUR], seenApplications: ['web-shop'], verdicts: [VERDICT] },
      },
      problems: [404],
      run: (request) => usage.lastHour(nameParameter(request, 'featureName')),
    },
    {
      ...COMMON,
      id: 'getFeatureUsageByHour',
      path: `${path}/raw`,
      summary: 'Evaluations of a feature for every hour, application and environment',
      query: compileQuery<ByHourQuery>(byHourQuery),
      answer: {
        status: 200,
        description:
          'The usage, including hours without evaluations, of at most 100 applications and environments.',
        schema: featureMetricsSchema,
        example: {
          ...FEATURE,
          data: [{ featureName: 'new-basket', appName: 'web-shop', ...HOUR, variants: { blue: 410 } }],
        },
      },
      problems: [404],
      run: (request) => usage.byHour(nameParameter(request, 'featureName'), request.query.hoursBack),
    },
  ];
}

const applicationsQuery = {
  type: 'object',
  properties: {
    limit: { ...limitParameter, maximum: 100 },
    offset: {
      type: 'integer',
      minimum: 0,
      maximum: 1_000_000,
      default: 0,
      description: 'Number of items to skip.',
    },
  },
} as const;

type ApplicationsQuery = FromSchema<typeof applicationsQuery>;

function listApplications(applications: Stores['applications']): Operation<ApplicationsQuery> {
  return {
    ...COMMON,
    id: 'listApplications',
    path: '/api/admin/metrics/applications',
    summary: 'Applications that relays reported, by name, with their instances',
    query: compileQuery<ApplicationsQuery>(applicationsQuery),
    answer: {
      status: 200,
      description: 'The applications.',
      schema: applicationsSchema,
      example: { total: 0, applications: [] },
    },
    run: ({ query }) => applications.list(query),
  };
}
