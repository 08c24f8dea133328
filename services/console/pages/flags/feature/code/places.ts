import type { CodePlace, CodeRepository, FeatureReferences } from '../../../../types.ts';

/** Places of a repository that are shown before somebody asks for the others. */
export const SHORT = 5;

/** How many places a feature has, and of how many repositories. */
export function countOf({ total, repositories }: FeatureReferences) {
  const listed = repositories.reduce((sum, { places }) => sum + places.length, 0);
  return { total, listed, repositories: countNames(repositories) };
}

/** How many places scans left out, of any name. */
export function leftOutOf(scanned: readonly Pick<CodeRepository, 'leftOut'>[]): number {
  return scanned.reduce((sum, { leftOut }) => sum + leftOut, 0);
}

/** Several branches of a repository are one. */
export function countNames(branches: readonly { readonly repository: string }[]): number {
  return new Set(branches.map(({ repository }) => repository)).size;
}

/** Otherwise in the order of the answer: by path and line. */
export function callsFirst(places: readonly CodePlace[]): CodePlace[] {
  return places.toSorted((one, other) => Number(other.kind === 'call') - Number(one.kind === 'call'));
}

type Scanned = Pick<CodeRepository, 'commit' | 'linkTemplate'>;

/** The address of a place at the host of its repository. Undefined without a template, or if it leads to no web page. */
export function addressOf({ path, line }: CodePlace, { commit, linkTemplate }: Scanned): string | undefined {
  if (linkTemplate === null || !/^https?:\/\//.test(linkTemplate)) return undefined;
  const values: Readonly<Record<string, string>> = {
    commit,
    path: path.split('/').map(encodeURIComponent).join('/'),
    line: String(line),
  };
  // In one step, so that a path that looks like a member stays as it is.
  return linkTemplate.replace(/\{(commit|path|line)\}/g, (member, name: string) => values[name] ?? member);
}
