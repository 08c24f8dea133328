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
  for (let page = 0; ; page += 1) {
    const path = `api/admin/relays?limit=${PAGE}&offset=${page * PAGE}`;
    const answer = await api.get<Relays>(path, signal);
    if (answer.problem !== undefined) return answer;
    relays.push(...answer.body.relays);
    const isLast = answer.body.relays.length < PAGE || page + 1 === MAX_PAGES;
    if (isLast) return { body: { ...answer.body, relays } };
  }
}
