import type { FromSchema } from 'json-schema-to-ts';
import { REFUSAL_REASONS } from '#core/counting';
import { compileQuery, day } from '#base/schema';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import type { Operation } from '../../http/operation.ts';
import { refusalsSchema } from './schema.ts';
import type { RefusalsStore } from './store.ts';

const name = (description: string) => ({ type: 'string', maxLength: 255, description }) as const;

const refusalsQuery = {
  type: 'object',
  properties: {
    reason: { type: 'string', enum: REFUSAL_REASONS, description: 'Only refusals with this reason.' },
    token: name('Only refusals of the token with this id.'),
    app: name('Only refusals of this application.'),
    feature: name('Only refusals of this feature.'),
    environment: name('Only refusals of this environment.'),
    from: day('Only refusals received on this day (UTC) or later.'),
    to: day('Only refusals received on this day (UTC) or earlier.'),
    limit: {
      ...limitParameter,
      description: 'Maximum number of items. If there are more, each reason has the same share.',
    },
  },
} as const;

type RefusalsQuery = FromSchema<typeof refusalsQuery>;

export function refusalOperations(refusals: RefusalsStore): Operation<RefusalsQuery>[] {
  return [
    {
      method: 'get',
      tag: 'Accounting',
      permission: 'READ',
      id: 'listRefusals',
      scope: 'installation',
      queue: 'usage',
      path: '/api/admin/metrics/refusals',
      summary: 'Metrics that were received but not counted, with reason and sample: 30 days, newest first',
      query: compileQuery<RefusalsQuery>(refusalsQuery),
      answer: {
        status: 200,
        description: 'The refusals, by day, most frequent first.',
        schema: refusalsSchema,
        example: {
          totals: [{ reason: 'too_old', items: 1, count: 12 }],
          refusals: [
            {
              day: '2026-11-21',
              kind: 'metric',
              reason: 'too_old',
              tokenId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
              environment: 'production',
              appName: 'web-shop',
              featureName: 'new-basket',
              count: 12,
              sample: 'timestamp: 2026-09-01T00:00:00Z',
            },
          ],
        },
      },
      run: ({ query: { token, app, feature, reason, environment, from, to, limit } }) =>
        refusals.list({
          tokenId: token,
          appName: app,
          featureName: feature,
          reason,
          environment,
          from,
          to,
          limit,
        }),
    },
  ];
}
