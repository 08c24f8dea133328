import { useCallback } from 'preact/hooks';
import { pathTo } from '../../state/paths/path.ts';
import { useMayReadAll } from '../caller.ts';
import type { Answer, Api } from '../requests/client.ts';
import { readPages } from '../requests/read-pages.ts';
import { type Read, type Resource, useReading, useResource } from '../requests/resource.ts';
import type { Application, Applications } from '../../types.ts';

const EVERY_MS = 30_000;
/** More would be read for half a minute. The search finds the others. */
const MOST = 1000;

type Page = { readonly items: readonly Application[]; readonly nextCursor: string | null };

/** If there are more that match, `nextCursor` is not null. */
export type ApplicationList = Page & {
  /** All applications, whatever the search. */
  readonly total: number;
};

export type ApplicationSort = 'appName' | '-appName' | 'seenAt' | '-seenAt';

type Filter = {
  /** Part of the name. */
  readonly search?: string;
  readonly sort?: ApplicationSort;
  readonly most?: number;
};

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

/** Counts and lists at the same time. */
async function readApplications(
  api: Api,
  { search, sort, show, ...reading }: Reading,
): Promise<Answer<ApplicationList>> {
  let total: number | undefined;
  const count = async (): Promise<Answer<Applications>> => {
    const answer = await api.get<Applications>(
      pathTo`api/admin/metrics/applications?limit=1`,
      reading.signal,
    );
    total = answer.body?.total;
    return answer;
  };
  const list = readPages<'items', Page>(api, {
    path: pathTo`api/admin/search/applications`,
    member: 'items',
    query: search === '' ? { sort } : { search, sort },
    ...reading,
    show(part) {
      if (total !== undefined) show({ ...part, total });
    },
  });
  const [counted, listed] = await Promise.all([count(), list]);
  if (counted.problem !== undefined) return counted;
  return listed.problem === undefined ? { body: { ...listed.body, total: counted.body.total } } : listed;
}

/** One application; none if no application with this name has reported. `undefined` reads nothing. */
export function useApplication(appName: string | undefined): Resource<Page> {
  const mayRead = useMayReadAll() === true;
  const path = pathTo`api/admin/search/applications?${new URLSearchParams({ appName: appName ?? '', limit: '1' })}`;
  return useResource(mayRead && appName !== undefined ? path : undefined, { everyMs: EVERY_MS });
}
