import { amountOf } from '#runtime';
import { type Scan, statesOf } from '../scanned.ts';
import type { Place } from '../search/place.ts';
import type { SearchedFiles } from '../search/search-files.ts';

/** For people: the places of each name, and a summary. */
export function textOf(scan: Scan): string {
  const states = statesOf(scan);
  const byName = new Map<string, Place[]>();
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
  return [...blocks.flat().map(withoutControls), ...summaryOf(scan, byName.size)].join('\n');
}

function titleOf(name: string, state: string | undefined): string {
  return state === 'active' || state === undefined ? name : `${name} (${state})`;
}

function lineOf({ path, line, column, kind, text }: Place): string {
  return `  ${path}:${line}:${column}  ${kind.padEnd('mention'.length)}  ${text}`;
}

/** Paths and lines come from strangers, and a terminal obeys control characters. */
export function withoutControls(text: string): string {
  return text.replaceAll(/\p{C}/gu, '\u{fffd}');
}

function summaryOf({ places, names, files, leftOut, unsearchable }: Scan, found: number): string[] {
  return [
    `${amountOf(places.length, 'place')} of ${amountOf(found, 'name')}. Searched for ${amountOf(names.length, 'name')} in ${amountOf(files.searched, 'file')}.`,
    ...skippedOf(files),
    ...(leftOut === 0 ? [] : [`${amountOf(leftOut, 'place')} more were left out.`]),
    ...(unsearchable.length === 0
      ? []
      : [`${amountOf(unsearchable.length, 'name')} without a letter or digit cannot be searched.`]),
  ];
}

/** A line about files that were not searched, if there are any. */
export function skippedOf({ large, binary }: SearchedFiles): string[] {
  const skipped = [
    ...(large === 0 ? [] : [`${large} larger than 8 MiB`]),
    ...(binary === 0 ? [] : [`${binary} binary`]),
  ];
  return skipped.length === 0 ? [] : [`Files that were not searched: ${skipped.join(', ')}.`];
}
