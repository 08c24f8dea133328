import { pathTo } from '../../state/paths/path.ts';
import type { Answer, Api } from '../requests/client.ts';
import type { Problem } from '../requests/problem.ts';
import { type Resource, useResource } from '../requests/resource.ts';
import type { Change, ChangeRequest, Feature } from '../../types.ts';

type Page = { readonly items: readonly Feature[]; readonly nextCursor: string | null };

/** The active features that verdicts call silent or constant, at most 1,000. */
export function useFeaturesWithEvidence(): Resource<Page> {
  return useResource(pathTo`api/admin/search/features?verdict=archive_evidence&limit=1000`, {
    everyMs: 30_000,
  });
}

export const archiveChange = (name: string): Change => ({
  method: 'DELETE',
  path: pathTo`api/admin/archive/${name}`,
});

export const reviveChange = (name: string): Change => ({
  method: 'POST',
  path: pathTo`api/admin/archive/revive/${name}`,
});

export type Outcome<T> = {
  /** With the version that each has now. */
  readonly done: readonly { readonly item: T; readonly etag: string | undefined }[];
  readonly left: readonly { readonly item: T; readonly problem: Problem }[];
};

/** One call after the other. A feature that cannot be archived does not stop the rest. */
export async function archiveAll<T extends { readonly name: string }>(
  api: Api,
  items: readonly T[],
): Promise<Outcome<T>> {
  const done: { item: T; etag: string | undefined }[] = [];
  const left: { item: T; problem: Problem }[] = [];
  for (const item of items) {
    const answer = await api.send(archiveChange(item.name));
    if (answer.problem === undefined) done.push({ item, etag: answer.etag });
    else left.push({ item, problem: answer.problem });
  }
  return { done, left };
}

export type NewStep = { readonly feature: string; readonly action: string; readonly payload?: unknown };

export type NewRequest = {
  readonly project: string;
  readonly environment: string;
  readonly title: string;
  readonly changes: readonly NewStep[];
};

/** The most changes that one call may add. */
const MAX_CHANGES = 100;

/** Adds changes to the caller's open change request, or to a new one, and asks for a review. */
export async function openRequest(
  api: Api,
  { project, environment, title, changes }: NewRequest,
): Promise<Answer<ChangeRequest>> {
  const inProject = pathTo`api/admin/projects/${project}`;
  const path = pathTo`${inProject}/environments/${environment}/change-requests`;
  let answer: Answer<ChangeRequest> | undefined;
  for (let from = 0; from < changes.length; from += MAX_CHANGES) {
    const body = { title, changes: changes.slice(from, from + MAX_CHANGES) };
    answer = await api.send<ChangeRequest>({ method: 'POST', path, body });
    if (answer.problem !== undefined) return answer;
  }
  if (answer?.body === undefined) throw new Error('a change request needs changes');
  if (answer.body.state !== 'Draft') return answer;
  const state = pathTo`${inProject}/change-requests/${answer.body.id}/state`;
  return api.send({ method: 'PUT', path: state, body: { state: 'In review' }, ifMatch: answer.etag });
}
