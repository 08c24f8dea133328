import { compileGuard, compileQuery } from '#base/schema';
import { OF_FEATURE } from '../../http/access/scope.ts';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import type { AdminPools } from '../../pools.ts';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import {
  type CleanUp,
  type CleanUpMove,
  cleanUpMoveSchema,
  cleanUpSchema,
  cleanUpsSchema,
} from './schema.ts';
import { STAGES } from './rules.ts';
import { type CleanUpFilter, countCleanUps, listCleanUps } from './store/list.ts';
import { moveCleanUp } from './store/move.ts';

const EXAMPLE: CleanUp = {
  featureName: 'new-basket',
  project: 'shop',
  owner: 'team-basket',
  stage: 'removal',
  since: '2026-11-22T10:15:00.000Z',
  movedBy: 'ana',
  told: { to: 'Clean-up of the shop', at: '2026-11-21T10:15:00.000Z' },
  url: 'https://git.example.org/shop/pull/17',
  changeRequestId: null,
  lastSeenAt: '2026-11-22T09:00:00.000Z',
  codeReferences: 2,
  verdicts: [
    {
      verdict: 'always_on',
      environment: 'production',
      sentence: 'Each of its 81200 evaluations from 2026-10-22 to 2026-11-20 was enabled.',
    },
  ],
};

const COMMON = { tag: 'Clean-up' } as const;
const PATH = '/api/admin/clean-ups';

const exactly = (description: string) =>
  ({ type: 'string', maxLength: 255, format: 'storable', description }) as const;

/** The board of the clean-up: which flags can go, and how far their removal is. */
export function cleanUpOperations({ db, lists }: AdminPools): Operation<CleanUpFilter>[] {
  return [
    {
      ...COMMON,
      id: 'listCleanUps',
      scope: 'visible',
      queue: 'lists',
      method: 'get',
      path: PATH,
      permission: 'READ',
      summary: 'Flags that can go, and how far their removal is; those that moved last come first',
      query: compileQuery<CleanUpFilter>({
        type: 'object',
        properties: {
          stage: { type: 'string', enum: STAGES, description: 'Only flags of this stage.' },
          project: exactly('Only flags of this project.'),
          owner: exactly('Only flags of this owner.'),
          feature: exactly('Only this flag.'),
          limit: limitParameter,
        },
      }),
      answer: {
        status: 200,
        description: 'The flags.',
        schema: cleanUpsSchema,
        example: { totals: [{ stage: 'removal', total: 1 }], cleanUps: [EXAMPLE] },
      },
      run: async ({ query, visible }) => {
        const [cleanUps, totals] = await Promise.all([
          listCleanUps(lists, query, visible),
          countCleanUps(lists, query, visible),
        ]);
        return { totals, cleanUps };
      },
    },
    {
      ...COMMON,
      id: 'moveCleanUp',
      scope: OF_FEATURE,
      method: 'put',
      path: `${PATH}/{featureName}`,
      permission: 'UPDATE_FEATURE',
      summary: 'Move a flag of the board, or set where it is being removed',
      body: {
        schema: cleanUpMoveSchema,
        example: { stage: 'removal', url: 'https://git.example.org/shop/pull/17' },
      },
      answer: { status: 200, description: 'The flag.', schema: cleanUpSchema, example: EXAMPLE },
      problems: [404, 409],
      run: withBody(compileGuard<CleanUpMove>(cleanUpMoveSchema), (request, move) =>
        moveCleanUp(db, nameParameter(request, 'featureName'), { move, caller: request.caller }),
      ),
    },
  ];
}
