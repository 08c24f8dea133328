import { amountOf } from '#base/runtime';
import { type Scan, statesOf } from '../scanned.ts';
import type { CodePlace } from '../search/place.ts';
import { REASONS, type Unsearched } from '../search/unsearched.ts';
import { withoutControls } from '../without-controls.ts';

/** For people: the places of each name, and a summary. */
export function textOf(scan: Scan): string {
  const states = statesOf(scan);
  const byName = new Map<string, CodePlace[]>();
  for (const place of scan.places) {
    const places = byName.get(place.name) ?? [];
    places.push(place);
    byName.set(place.name, places);
  }
  const blocks = [...byName].map(([name, places]) => [
    titleOf(name, states.get(name)),
    ...places.map(lineOf),
    '',
  ]);
  const named = namesOf(scan.files.unsearched);
  return [...[...blocks.flat(), ...named].map(withoutControls), ...summaryOf(scan, byName.size)].join('\n');
}

function titleOf(name: string, state: string | undefined): string {
  return state === 'active' || state === undefined ? name : `${name} (${state})`;
}

function lineOf({ path, line, column, kind, text }: CodePlace): string {
  return `  ${path}:${line}:${column}  ${kind.padEnd('mention'.length)}  ${text}`;
}

function summaryOf({ places, names, files, leftOut, unsearchable }: Scan, found: number): string[] {
  return [
    `${amountOf(places.length, 'place')} of ${amountOf(found, 'name')}. Searched for ${amountOf(names.length, 'name')} in ${amountOf(files.searched, 'file')}.`,
    ...countsOf(files.unsearched),
    ...(leftOut === 0 ? [] : [`${amountOf(leftOut, 'place')} more were left out.`]),
    ...(unsearchable.length === 0
      ? []
      : [`${amountOf(unsearchable.length, 'name')} without a letter or digit cannot be searched.`]),
  ];
}

/** Each file that was not searched, in one block. */
function namesOf(unsearched: readonly Unsearched[]): string[] {
  if (unsearched.length === 0) return [];
  return ['Not searched:', ...unsearched.map(({ path, reason }) => `  ${path}  ${REASONS[reason]}`), ''];
}

/** A line that counts them by reason, if there are any. */
function countsOf(unsearched: readonly Unsearched[]): string[] {
  const counts = new Map<string, number>();
  for (const { reason } of unsearched) counts.set(REASONS[reason], (counts.get(REASONS[reason]) ?? 0) + 1);
  if (counts.size === 0) return [];
  const reasons = [...counts].map(([reason, count]) => `${count} ${reason}`);
  return [`${amountOf(unsearched.length, 'tracked file')} not searched: ${reasons.join(', ')}.`];
}
