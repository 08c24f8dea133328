import type { ApiToken } from '#base/tokens';

export type TokenScope = Pick<ApiToken, 'type' | 'projects' | 'environment'>;

/** Finds where stored things belong. Undefined for a thing that does not exist. */
export type ProjectLookups = {
  projectOfFeature(name: string): Promise<string | undefined>;
  projectOfVerdict(id: string): Promise<string | undefined>;
  /** The environment that a change request changes; null for every one. */
  environmentOfChangeRequest(project: string, id: string): Promise<string | null | undefined>;
  /** Of an API token. Without projects it is for all of them; the environment '*' is every one. */
  scopeOfToken(id: string): Promise<TokenScope | undefined>;
};
