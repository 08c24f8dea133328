import type { SearchedName } from '../../../admin/advice/code-references/index.ts';
import type { CodePlace } from './search/place.ts';
import type { SearchedFiles } from './search/search-files.ts';

/** What a scan found, for the outputs. */
export type Scan = {
  /** Undefined if git does not say, as the next three. */
  readonly repository: string | undefined;
  readonly branch: string | undefined;
  readonly commit: string | undefined;
  /** Address of a line, with {commit}, {path} and {line}. */
  readonly link: string | undefined;
  readonly names: readonly SearchedName[];
  /** Names without a letter or digit, which were not searched. */
  readonly unsearchable: readonly string[];
  readonly files: SearchedFiles;
  /** By name, path and line. */
  readonly places: readonly CodePlace[];
  /** Places that were found and are not in `places`. */
  readonly leftOut: number;
};

/** The states of the names, for example `archived`. */
export function statesOf({ names }: Scan): ReadonlyMap<string, SearchedName['state']> {
  return new Map(names.map(({ name, state }) => [name, state]));
}
