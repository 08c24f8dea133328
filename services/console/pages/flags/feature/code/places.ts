import { formatCount, formatPlural } from '../../../../state/format.ts';
import type { CodePlace, CodeRepository, FeatureReferences } from '../../../../types.ts';

/** Places of a repository that are shown before somebody asks for the others. */
export const SHORT = 5;

/** 12 places in 3 repositories. Several branches of a repository are one. */
export function sumText({ total, repositories }: FeatureReferences): string {
  const listed = repositories.reduce((sum, { places }) => sum + places.length, 0);
  const inRepositories = `in ${formatPlural(countNames(repositories), 'repository', 'repositories')}`;
  if (listed === total) return `${formatPlural(total, 'place')} ${inRepositories}`;
  return `${formatPlural(total, 'place')}; ${formatCount(listed)} of them, ${inRepositories}, are listed`;
}

/** Why there are no places. */
export function absenceText(scanned: readonly CodeRepository[]): string {
  if (scanned.length === 0) return 'No scan was pushed yet.';
  const count = countNames(scanned);
  return count === 1
    ? 'The scanned repository does not name it.'
    : `The ${formatCount(count)} scanned repositories do not name it.`;
}

/** Empty if a scan pushed all that it found. */
export function leftOutText(scanned: readonly Pick<CodeRepository, 'leftOut'>[]): string {
  const leftOut = scanned.reduce((sum, branch) => sum + branch.leftOut, 0);
  return leftOut === 0
    ? ''
    : `Because there were too many, ${formatPlural(leftOut, 'place')} of any name ${leftOut === 1 ? 'was' : 'were'} left out.`;
}

function countNames(branches: readonly { readonly repository: string }[]): number {
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
