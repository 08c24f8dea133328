import type { FromSchema } from 'json-schema-to-ts';
import { compileQuery } from '#base/schema';
import { cursorParameter, limitParameter } from '../../http/requests/limit-parameter.ts';
import type { Operation } from '../../http/operation.ts';
import { relaysSchema } from './schema.ts';
import type { RelaysStore } from './store.ts';

const relaysQuery = {
  type: 'object',
  properties: {
    limit: { ...limitParameter, maximum: 100 },
    cursor: cursorParameter,
  },
} as const;

type RelaysQuery = FromSchema<typeof relaysQuery>;

export function relayOperations(relays: RelaysStore): Operation<RelaysQuery>[] {
  return [
    {
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      id: 'listRelays',
      scope: 'installation',
      queue: 'lists',
      path: '/api/admin/relays',
      summary: 'Relays that report about themselves, silent ones first, with the relays behind them',
      query: compileQuery<RelaysQuery>(relaysQuery),
      answer: {
        status: 200,
        description: 'The relays.',
        schema: relaysSchema,
        example: { total: 0, totalReporting: 0, totalSilent: 0, nextCursor: null, relays: [] },
      },
      run: ({ query }) => relays.list(query),
    },
  ];
}
