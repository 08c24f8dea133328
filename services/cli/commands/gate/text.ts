import { amountOf } from '#base/runtime';
import { withoutControls } from '../scan/without-controls.ts';
import type { CodePlace } from '../scan/search/place.ts';
import type { SearchedFiles } from '../scan/search/search-files.ts';
import type { Finding } from './findings.ts';
import type { Reason } from './reasons.ts';
import type { Unexamined } from './unexamined.ts';

/** What the gate found, for the output. */
export type Gated = {
  /** The paths in the list of changed files. */
  readonly changed: number;
  readonly files: SearchedFiles;
  readonly unexamined: readonly Unexamined[];
  /** Calls, and how many more there were. */
  readonly places: readonly CodePlace[];
  readonly leftOut: number;
  /** By name. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly failOn: ReadonlySet<Reason>;
};

type Level = 'error' | 'warning' | 'note';
type Problem = { readonly level: Level; readonly where: string; readonly message: string };

/** Each call with each finding on its name, by name, path and line, and then each file that was not examined. */
function problemsOf({ places, findings, unexamined, failOn }: Gated): Problem[] {
  const levelOf = (reason: Reason): Level => (failOn.has(reason) ? 'error' : 'warning');
  const ofCalls = places.flatMap((place) =>
    (findings.get(place.name) ?? []).map((finding) => ({
      level: levelOf(finding.reason),
      where: `${place.path}:${place.line}:${place.column}`,
      message: messageOf(place, finding),
    })),
  );
  const ofFiles = unexamined.map(({ path, why, mayHaveCalls }) => ({
    level: mayHaveCalls ? levelOf('unexamined') : ('note' as const),
    where: path,
    message: `not examined: ${why}.`,
  }));
  return [...ofCalls, ...ofFiles];
}

function messageOf({ name }: CodePlace, { reason, environment, explanation }: Finding): string {
  const where = environment === undefined ? '' : ` in ${environment}`;
  return `${name} is ${reason}${where}. ${explanation}`;
}

export function hasFailed(gated: Gated): boolean {
  return problemsOf(gated).some(({ level }) => level === 'error');
}

/** The same for other programs. */
export function documentOf(gated: Gated) {
  const { places, files, changed, leftOut } = gated;
  return { calls: places.length, leftOut, searched: files.searched, changed, problems: problemsOf(gated) };
}

/** For people, and for programs that know the messages of compilers. */
export function textOf(gated: Gated): string {
  const { places, files, changed, leftOut } = gated;
  const problems = problemsOf(gated);
  const countOf = (wanted: Level) => problems.filter(({ level }) => level === wanted).length;
  return [
    ...problems.map(({ where, level, message }) => withoutControls(`${where}: ${level}: ${message}`)),
    `${amountOf(countOf('error'), 'error')} and ${amountOf(countOf('warning'), 'warning')}. Examined ${amountOf(places.length, 'call')} in ${files.searched} of ${amountOf(changed, 'changed file')}.`,
    ...(leftOut === 0 ? [] : [`${amountOf(leftOut, 'call')} more were left out.`]),
  ].join('\n');
}
