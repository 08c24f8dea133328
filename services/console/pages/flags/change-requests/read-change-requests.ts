import { type Resource, useResource } from '../../../api/requests/resource.ts';
import { type Path, pathTo } from '../../../state/paths/path.ts';
import type { Change, ChangeRequest, ChangeRequestSummary, Differences } from '../../../types.ts';

const EVERY_MS = 15_000;

export type ChangeRequestPage = {
  readonly items: readonly ChangeRequestSummary[];
  readonly nextCursor: string | null;
};

type Filter = { readonly state: string; readonly cursor?: string };

/** 100 change requests, the newest first. An empty value filters nothing. */
export function useChangeRequests(filter: Filter): Resource<ChangeRequestPage> {
  const given = Object.entries(filter).filter(([, value]) => value !== '');
  const query = new URLSearchParams([['limit', '100'], ...given]);
  return useResource(pathTo`api/admin/search/change-requests?${query}`, { everyMs: EVERY_MS });
}

type RequestPath = { readonly project: string; readonly id: number | string };

export function useChangeRequest(path: RequestPath): Resource<ChangeRequest> {
  return useResource(pathOf(path), { everyMs: EVERY_MS, isNeverHeld: true });
}

/** What edits have changed since this version; reads nothing without one. */
export function useDifferences(path: RequestPath, since: number | undefined): Resource<Differences> {
  return useResource(since === undefined ? undefined : pathTo`${pathOf(path)}/differences?since=${since}`);
}

/** Refused if the change request has another version than the one that was read. */
export function stateChange(path: RequestPath, version: number, body: object): Change {
  return { method: 'PUT', path: pathTo`${pathOf(path)}/state`, body, ifMatch: `"${version}"` };
}

export function commentChange(path: RequestPath, text: string): Change {
  return { method: 'POST', path: pathTo`${pathOf(path)}/comments`, body: { text } };
}

export function discardChange(path: RequestPath): Change {
  return { method: 'DELETE', path: pathOf(path) };
}

function pathOf({ project, id }: RequestPath): Path {
  return pathTo`api/admin/projects/${project}/change-requests/${id}`;
}
