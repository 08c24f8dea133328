import { FlagmeterError } from '#runtime';
import type { Push, SearchedName } from '../../../admin/code-references/index.ts';
import type { AdminApi, AdminApiRequest } from '../../admin-api.ts';

const PATH = '/api/admin/code-references';
/** A hundred thousand names have less. */
const MAX_ANSWER_BYTES = 32 * 1024 * 1024;

/** The names to search: of one project, or of all projects and unknown ones. */
export async function readNames(api: AdminApi, project: string | undefined): Promise<SearchedName[]> {
  const query = project === undefined ? '' : `?${new URLSearchParams({ project }).toString()}`;
  const { names } = (await call(api, { path: `${PATH}/names${query}` })) as { names: SearchedName[] }; // our own API
  return names;
}

export async function push(api: AdminApi, body: Push): Promise<void> {
  await call(api, { method: 'POST', path: PATH, body });
}

/** The answer of our own API. Throws a FlagmeterError `answer` with its message if the status is not 200. */
export async function call(api: AdminApi, request: AdminApiRequest): Promise<unknown> {
  const { status, body } = await api.send(request, MAX_ANSWER_BYTES);
  if (status === 200) return body;
  throw new FlagmeterError('answer', `${request.path} answered ${status}: ${messageOf(body)}`);
}

function messageOf(body: unknown): string {
  const { message } = (body ?? {}) as { message?: unknown };
  return typeof message === 'string' ? message : 'no reason was given';
}
