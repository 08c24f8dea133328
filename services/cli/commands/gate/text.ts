import { amountOf } from '#runtime';
import { skippedOf, withoutControls } from '../scan/output/text.ts';
import type { Place } from '../scan/search/place.ts';
import type { SearchedFiles } from '../scan/search/search-files.ts';
import type { Finding } from './findings.ts';
import type { Reason } from './reasons.ts';

/** What the gate found, for the output. */
export type Gated = {
  /** The paths in the list of changed files. */
  readonly changed: number;
  readonly files: SearchedFiles;
  /** Calls, and how many more there were. */
  readonly places: readonly Place[];
  readonly leftOut: number;
  /** By name. */
  readonly findings: ReadonlyMap<string, readonly Finding[]>;
  readonly failOn: ReadonlySet<Reason>;
};

type Problem = Finding & { readonly place: Place; readonly isFailure: boolean };

/** Each call with each finding on its name, by name, path and line. */
export function problemsOf({ places, findings, failOn }: Gated): Problem[] {
  return places.flatMap((place) =>
    (findings.get(place.name) ?? []).map((finding) => ({
      ...finding,
      place,
      isFailure: failOn.has(finding.reason),
    })),
  );
}

/** For people, and for programs that know the messages of compilers. */
export function textOf(gated: Gated): string {
  const { places, files, changed, leftOut } = gated;
  const problems = problemsOf(gated);
  const failures = problems.filter(({ isFailure }) => isFailure).length;
  return [
    ...problems.map(lineOf).map(withoutControls),
    `${amountOf(failures, 'error')} and ${amountOf(problems.length - failures, 'warning')}. Examined ${amountOf(places.length, 'call')} in ${files.searched} of ${amountOf(changed, 'changed file')}.`,
    ...skippedOf(files),
    ...(leftOut === 0 ? [] : [`${amountOf(leftOut, 'call')} more were left out.`]),
  ].join('\n');
}

function lineOf({ place, isFailure, reason, environment, explanation }: Problem): string {
  const { path, line, column, name } = place;
  const where = environment === undefined ? '' : ` in ${environment}`;
  const level = isFailure ? 'error' : 'warning';
  return `${path}:${line}:${column}: ${level}: ${name} is ${reason}${where}. ${explanation}`;
}
