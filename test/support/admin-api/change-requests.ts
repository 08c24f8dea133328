import type { Answer, Api } from './admin.ts';

/** The change requests of the project default. */
export const REQUESTS = '/api/admin/projects/default/change-requests';
/** Those of its environment production, where changes are added. */
export const IN_PRODUCTION = '/api/admin/projects/default/environments/production/change-requests';

/** A change that turns on the feature f. */
export const ENABLE = { feature: 'f', action: 'updateEnabled', payload: { enabled: true } };
/** What an edit may make of it. */
export const ARCHIVE = { action: 'archiveFeature' };

export type Step = {
  /** The path of the change request. */
  readonly path: string;
  /** The state that it gets, with a comment or time if there is one. */
  readonly change: { readonly state: string } & Readonly<Record<string, unknown>>;
  /** Undefined for an ADMIN token. */
  readonly token?: string | undefined;
};

/** Reads a change request, and gives the version that was read another state. */
export async function stepAsRead(api: Api, { path, change, token }: Step): Promise<Answer> {
  const by = token === undefined ? {} : { token };
  const { headers } = await api.get(path, by);
  return api.put(`${path}/state`, change, { ...by, headers: ifMatch(headers.get('etag')) });
}

/** The header for the version of an answer; none if the answer has no version. */
export function ifMatch(etag: string | null): Record<string, string> {
  return etag === null ? {} : { 'if-match': etag };
}
