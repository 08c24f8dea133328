import { pathTo } from '../../state/paths/path.ts';
import type { Relays } from '../../types.ts';
import type { Answer, Api } from '../requests/client.ts';
import { type Resource, useReading } from '../requests/resource.ts';

const EVERY_MS = 30_000;
const PAGE = 100;
const MAX_PAGES = 10;

/** The first thousand relays, silent ones first, each with the relays behind it. */
export function useRelays(): Resource<Relays> {
  return useReading('relays', readRelays, { everyMs: EVERY_MS });
}

async function readRelays(api: Api, signal: AbortSignal): Promise<Answer<Relays>> {
  const relays: Relays['relays'] = [];
  const query = new URLSearchParams({ limit: String(PAGE) });
  for (let page = 1; ; page += 1) {
    const answer = await api.get<Relays>(pathTo`api/admin/relays?${query}`, signal);
    if (answer.problem !== undefined) return answer;
    relays.push(...answer.body.relays);
    const { nextCursor } = answer.body;
    if (nextCursor === null || page === MAX_PAGES) return { body: { ...answer.body, relays } };
    query.set('cursor', nextCursor);
  }
}
