import type { ChangeRequestSummary, Feature } from '../../../../types.ts';
import { type Resource, useResource } from '../../../../api/requests/resource.ts';
import { pathTo } from '../../../../state/paths/path.ts';

const ENDED: readonly string[] = ['Applied', 'Cancelled', 'Rejected'];

type Page = { readonly items: readonly ChangeRequestSummary[]; readonly nextCursor: string | null };

export type OpenRequests = {
  readonly requests: readonly ChangeRequestSummary[];
  /** Whether there are older requests, which nobody has looked at. */
  readonly hasOlder: boolean;
};

/** The change requests that still may change a feature, of the newest 100. Those of a project that had it before say nothing. */
export function useOpenRequests({
  name,
  project,
}: Pick<Feature, 'name' | 'project'>): Resource<OpenRequests> {
  const query = new URLSearchParams({ feature: name, project, limit: '100' });
  const page = useResource<Page>(pathTo`api/admin/search/change-requests?${query}`, { everyMs: 30_000 });
  return {
    ...page,
    data: page.data && {
      requests: page.data.items.filter(({ state }) => !ENDED.includes(state)),
      hasOlder: page.data.nextCursor !== null,
    },
  };
}
