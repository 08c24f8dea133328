import type { Push, SearchedName } from '../../../admin/advice/code-references/index.ts';
import { type AdminApi, call } from '../../admin-api.ts';

const PATH = '/api/admin/code-references';

/** The names to search: of one project, or of all projects and unknown ones. */
export async function readNames(api: AdminApi, project: string | undefined): Promise<SearchedName[]> {
  const query = project === undefined ? '' : `?${new URLSearchParams({ project }).toString()}`;
  const { names } = (await call(api, { path: `${PATH}/names${query}` })) as { names: SearchedName[] }; // our own API
  return names;
}

export async function push(api: AdminApi, body: Push): Promise<void> {
  await call(api, { method: 'POST', path: PATH, body });
}
