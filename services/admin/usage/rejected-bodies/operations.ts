import type { FromSchema } from 'json-schema-to-ts';
import { BODY_PROBLEMS } from '#base/http';
import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import { rejectedBodiesSchema } from './schema.ts';
import type { RejectedBodiesStore } from './store.ts';

const rejectedBodiesQuery = {
  type: 'object',
  properties: {
    token: { type: 'string', maxLength: 255, description: 'Only bodies with the token of this id.' },
    problem: { type: 'string', enum: BODY_PROBLEMS, description: 'Only bodies with this problem.' },
    limit: limitParameter,
  },
} as const;

type RejectedBodiesQuery = FromSchema<typeof rejectedBodiesQuery>;

export function rejectedBodyOperations(
  rejectedBodies: RejectedBodiesStore,
): Operation<RejectedBodiesQuery>[] {
  return [
    {
      method: 'get',
      tag: 'Accounting',
      permission: 'READ',
      id: 'listRejectedBodies',
      scope: 'installation',
      queue: 'lists',
      path: '/api/admin/metrics/rejected-bodies',
      summary: 'Who sends bodies that are not accepted, and why: 30 days, newest first',
      query: compileQuery<RejectedBodiesQuery>(rejectedBodiesQuery),
      answer: {
        status: 200,
        description: 'The rejected bodies, by day, most frequent first.',
        schema: rejectedBodiesSchema,
        example: {
          total: 1,
          sum: 12,
          rejectedBodies: [
            {
              day: '2026-11-21',
              tokenId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
              problem: 'schema',
              count: 12,
              firstAt: '2026-11-21T10:00:00.000Z',
              lastAt: '2026-11-21T10:11:00.000Z',
              status: 400,
              path: '/api/client/metrics',
              place: 'bucket.toggles.*.yes',
              message: 'The body does not match the schema of a batch: must be number, is string',
              appName: 'web-shop',
              sdk: 'unleash-node@5.3.0',
            },
          ],
        },
      },
      run: ({ query: { token, problem, limit } }) => rejectedBodies.list({ tokenId: token, problem, limit }),
    },
  ];
}
