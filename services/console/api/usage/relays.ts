import { pathTo } from '../../state/paths/path.ts';
import type { Relays } from '../../types.ts';
import { readPages } from '../requests/read-pages.ts';
import { type Read, type Resource, useReading } from '../requests/resource.ts';

/** The first thousand relays, silent ones first, each with the relays behind it. */
export function useRelays(): Resource<Relays> {
  return useReading('relays', readRelays, { everyMs: 30_000 });
}

const readRelays: Read<Relays> = (api, signal, show) =>
  readPages(api, { path: pathTo`api/admin/relays`, member: 'relays', most: 1000, signal, show });
