import { useMayReadAll } from '../../../api/caller.ts';
import { useResource } from '../../../api/requests/resource.ts';
import { useConsole } from '../../../console.ts';
import type { Choice } from './choices.ts';
import { pathTo } from '../../../state/paths/path.ts';

type Features = { readonly items: readonly { readonly name: string }[] };
type Applications = { readonly items: readonly { readonly appName: string }[] };

const LIMIT = '6';

/** The flags and applications that the server finds; none without a text. */
export function useFound(search: string): readonly Choice[] {
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
  return [
    ...(features.data?.items ?? []).map(({ name }) => name).map(leadingTo('Flag', 'features')),
    ...(applications.data?.items ?? [])
      .map(({ appName }) => appName)
      .map(leadingTo('Application', 'applications')),
  ];
}
