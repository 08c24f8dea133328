import { readPages } from '../../../api/requests/read-pages.ts';
import { type Read, type Resource, useReading } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Feature } from '../../../types.ts';

/** While the rest of a long list is being read, `nextCursor` is not null. */
export type FeatureList = { readonly items: readonly Feature[]; readonly nextCursor: string | null };

/** All active features, by name. The first ones are there before the rest. */
export function useFeatureList(): Resource<FeatureList> {
  return useReading('list of features', readFeatures, { everyMs: 60_000 });
}

const readFeatures: Read<FeatureList> = (api, signal, show) =>
  readPages(api, { path: pathTo`api/admin/search/features`, member: 'items', perPage: 1000, signal, show });
