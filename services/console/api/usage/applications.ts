import { useCallback } from 'preact/hooks';
import { pathTo } from '../../state/paths/path.ts';
import { useMayReadAll } from '../caller.ts';
import type { Answer, Api } from '../requests/client.ts';
import { type Read, type Resource, useReading, useResource } from '../requests/resource.ts';
import type { Applications } from '../../types.ts';

const EVERY_MS = 30_000;
const PAGE = 100;
/** More would be read for half a minute. The search finds the others. */
const MOST = 1000;

export type ApplicationList = {
  /** All applications, whatever the search. */
  readonly total: number;
  readonly applications: Applications['applications'];
  /** Whether there are more that match. */
  readonly isCut: boolean;
};

export type ApplicationSort = 'appName' | '-appName' | 'seenAt' | '-seenAt';

type Filter = {
  /** Part of the name. */
  readonly search?: string;
  readonly sort?: ApplicationSort;
  readonly most?: number;
};

type Page = { readonly items: Applications['applications']; readonly nextCursor: string | null };

/** The first applications that match, at most a thousand. */
export function useApplications({
  search = '',
  sort = 'appName',
  most = MOST,
}: Filter): Resource<ApplicationList> {
  const key = `applications ${JSON.stringify([search, sort, most])}`;
  const read = useCallback<Read<ApplicationList>>(
    (api, signal, show) => readApplications(api, { search, sort, most, signal, show }),
    [key],
  );
  return useReading(useMayReadAll() === true ? key : undefined, read, { everyMs: EVERY_MS });
}

type Reading = Required<Filter> & {
  readonly signal: AbortSignal;
  readonly show: (part: ApplicationList) => void;
};

async function readApplications(
  api: Api,
  { search, sort, most, signal, show }: Reading,
): Promise<Answer<ApplicationList>> {
  const counted = await api.get<Applications>(pathTo`api/admin/metrics/applications?limit=1`, signal);
  if (counted.problem !== undefined) return counted;
  const applications: Applications['applications'] = [];
  const query = new URLSearchParams({ sort, limit: String(Math.min(most, PAGE)) });
  if (search !== '') query.set('search', search);
  for (;;) {
    const answer = await api.get<Page>(pathTo`api/admin/search/applications?${query}`, signal);
    if (answer.problem !== undefined) return answer;
    applications.push(...answer.body.items);
    const { nextCursor } = answer.body;
    const list = { total: counted.body.total, applications: [...applications], isCut: nextCursor !== null };
    if (nextCursor === null || applications.length >= most) return { body: list };
    show(list);
    query.set('cursor', nextCursor);
  }
}

/** One application; none if no application with this name has reported. `undefined` reads nothing. */
export function useApplication(appName: string | undefined): Resource<Page> {
  const mayRead = useMayReadAll() === true;
  const path = pathTo`api/admin/search/applications?${new URLSearchParams({ appName: appName ?? '', limit: '1' })}`;
  return useResource(mayRead && appName !== undefined ? path : undefined, { everyMs: EVERY_MS });
}
