import type { Answer, Api } from '../../../api/requests/client.ts';
import { type Resource, useReading } from '../../../api/requests/resource.ts';
import { pathTo } from '../../../state/paths/path.ts';
import type { Feature } from '../../../types.ts';

/** `isWhole` is false while the rest of a long list is being read. */
export type FeatureList = { readonly items: readonly Feature[]; readonly isWhole: boolean };

type Page = { readonly items: readonly Feature[]; readonly nextCursor: string | null };

const EVERY_MS = 60_000;
/** The first page fills the screen early. */
const FIRST_PAGE = 100;
const PAGE = 1000;

/** All active features, by name. The first ones are there before the rest. */
export function useFeatureList(): Resource<FeatureList> {
  return useReading('list of features', readFeatures, { everyMs: EVERY_MS });
}

async function readFeatures(
  api: Api,
  signal: AbortSignal,
  show: (part: FeatureList) => void,
): Promise<Answer<FeatureList>> {
  const items: Feature[] = [];
  let query = new URLSearchParams({ limit: String(FIRST_PAGE) });
  for (;;) {
    const answer = await api.get<Page>(pathTo`api/admin/search/features?${query}`, signal);
    if (answer.problem !== undefined) return answer;
    items.push(...answer.body.items);
    const { nextCursor } = answer.body;
    if (nextCursor === null) return { body: { items, isWhole: true } };
    show({ items: [...items], isWhole: false });
    query = new URLSearchParams({ limit: String(PAGE), cursor: nextCursor });
  }
}
