/** Finds where stored things belong. Undefined for a thing that does not exist. */
export type Places = {
  projectOfFeature(name: string): Promise<string | undefined>;
  projectOfVerdict(id: string): Promise<string | undefined>;
  /** The environment that a change request changes; null for every one. */
  environmentOfChangeRequest(project: string, id: string): Promise<string | null | undefined>;
  /** The projects and the environment of an API token; '*' is every one. */
  placeOfToken(id: string): Promise<{ projects: readonly string[]; environment: string } | undefined>;
};
