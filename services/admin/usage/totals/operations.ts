import type { FromSchema } from 'json-schema-to-ts';
import { compileQuery } from '#base/schema';
import { OF_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter } from '../../http/operation.ts';
import { featureMetricsSchema, featureUsageSchema } from './schema.ts';
import type { UsageStore } from './store.ts';

const COMMON = { method: 'get', tag: 'Usage', permission: 'READ', scope: OF_FEATURE } as const;
const HOUR = {
  environment: 'production',
  timestamp: '2026-11-21T10:00:00.000Z',
  yes: 812,
  no: 41,
  unknown: 0,
};
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

/** Usage of features, for an admin UI. */
export function usageOperations(usage: UsageStore): Operation<ByHourQuery>[] {
  const path = '/api/admin/client-metrics/features/{featureName}';
  return [
    {
      ...COMMON,
      id: 'getFeatureUsage',
      queue: 'usage',
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
      queue: 'usage',
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
