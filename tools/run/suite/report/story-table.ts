import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** The totals of a story of the fault suite over its tests. */
export type StoryRow = {
  readonly story: string;
  readonly rounds: number;
  readonly requests: number;
  readonly acknowledged: number;
  readonly unknown: number;
  readonly counted: number;
  readonly doubled: number;
  readonly lost: number;
};

/** Environment variable for the directory of the rows. Each story runs in its own process and leaves a row there. */
export const STORIES_VARIABLE = 'FLAGMETER_TEST_STORIES';

export function clearRows(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
}

export function writeRow(directory: string, row: StoryRow): void {
  const name = `${row.story.replaceAll(/\W+/g, '-')}.json`;
  writeFileSync(path.join(directory, name), JSON.stringify(row));
}

/** The rows of a run. */
export function readRows(directory: string): StoryRow[] {
  return readdirSync(directory)
    .map((name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as StoryRow) // Written by `writeRow`.
    .sort((a, b) => a.story.localeCompare(b.story, 'en', { numeric: true }));
}

/** The rows of a run as a table; empty when no story ran. */
export function renderTable(directory: string): string {
  const rows = readRows(directory);
  if (rows.length === 0) return '';
  const lines = rows.map(cellsOf);
  const widths = HEAD.map((head, column) =>
    Math.max(head.length, ...lines.map((line) => line[column]?.length ?? 0)),
  );
  return [HEAD, ...lines]
    .map((line) =>
      line
        .map((cell, column) =>
          column === 0 ? cell.padEnd(widths[0] ?? 0) : cell.padStart(widths[column] ?? 0),
        )
        .join('  '),
    )
    .join('\n');
}

const HEAD = ['story', 'rounds', 'requests', 'acknowledged', 'unknown', 'counted', 'doubled', 'lost'];

function cellsOf(row: StoryRow): string[] {
  const { story, rounds, requests, acknowledged, unknown, counted, doubled, lost } = row;
  return [story, ...[rounds, requests, acknowledged, unknown, counted, doubled, lost].map(String)];
}
