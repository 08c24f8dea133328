import { useMayReadAll } from '../../../api/caller.ts';
import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { useConsole } from '../../../console.ts';
import type { Choice } from './choices.ts';
import { pathTo } from '../../../state/paths/path.ts';
import { say } from '#base/words';

type Page<T> = { readonly items: readonly T[]; readonly nextCursor: string | null };
type Features = Page<{ readonly name: string }>;
type Applications = Page<{ readonly appName: string }>;

const LIMIT = '6';

export type Found = {
  /** Flags and applications. */
  readonly choices: readonly Choice[];
  /** Whether there may be more. */
  readonly isLooking: boolean;
};

/** What the server finds; nothing without a text. */
export function useFound(search: string): Found {
  const { router } = useConsole();
  const mayReadAll = useMayReadAll() === true;
  const query = new URLSearchParams({ search, limit: LIMIT });
  const features = useResource<Features>(
    search === '' ? undefined : pathTo`api/admin/search/features?${query}`,
  );
  const applications = useResource<Applications>(
    search === '' || !mayReadAll ? undefined : pathTo`api/admin/search/applications?${query}`,
  );
  const leadingTo = (kind: string, page: string) => (title: string) => ({
    kind,
    title,
    run() {
      router.go(page, title);
    },
  });
  /** A line for those that have no line of their own. */
  const othersOf = (page: Page<unknown> | undefined, what: string, path: string): readonly Choice[] =>
    (page?.nextCursor ?? null) === null
      ? []
      : [
          {
            kind: 'Page',
            title: say`All ${what} with ${search}`,
            run() {
              location.hash = router.listOf(path, { q: search });
            },
          },
        ];
  const isUnknown = ({ data, problem }: Resource<unknown>): boolean => (data ?? problem) === undefined;
  return {
    choices: [
      ...(features.data?.items ?? []).map(({ name }) => name).map(leadingTo('Flag', 'features')),
      ...othersOf(features.data, 'flags', 'features'),
      ...(applications.data?.items ?? [])
        .map(({ appName }) => appName)
        .map(leadingTo('Application', 'applications')),
      ...othersOf(applications.data, 'applications', 'applications'),
    ],
    isLooking: search !== '' && (isUnknown(features) || (mayReadAll && isUnknown(applications))),
  };
}
