import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import { type UnknownFlags, unknownFlagsSchema } from './schema.ts';
import type { UnknownFlagsStore } from './store.ts';

export function unknownFlagOperations(unknownFlags: UnknownFlagsStore): Operation[] {
  const reads = new ReadsInTurn<UnknownFlags>();
  return [
    {
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      id: 'listUnknownFlags',
      scope: 'installation',
      queue: 'none',
      path: '/api/admin/metrics/unknown-flags',
      summary: 'Features that applications evaluate and that do not exist, latest first: at most 100 names',
      answer: {
        status: 200,
        description: 'The unknown features.',
        schema: unknownFlagsSchema,
        example: {
          total: 1,
          unknownFlags: [
            {
              name: 'new-baskte',
              appName: 'web-shop',
              environment: 'production',
              lastSeenAt: '2026-11-21T10:00:00.000Z',
              count: 12,
              nearestName: 'new-basket',
              reason: null,
            },
          ],
        },
      },
      run: (request) => reads.read(request, '', () => unknownFlags.list()),
    },
  ];
}
