import { mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** What a story of the fault suite adds up over its tests. */
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

/** Environment variable with the directory where the stories of a run, each in a process of its own, leave their rows. */
export const STORIES_VARIABLE = 'FLAGMETER_TEST_STORIES';

export function clearRows(directory: string): void {
  rmSync(directory, { recursive: true, force: true });
  mkdirSync(directory, { recursive: true });
}

export function writeRow(directory: string, row: StoryRow): void {
  const name = `${row.story.replaceAll(/\W+/g, '-')}.json`;
  writeFileSync(path.join(directory, name), JSON.stringify(row));
}

/** The rows of a run as a table; empty when no story ran. */
export function renderTable(directory: string): string {
  const rows = readdirSync(directory)
    .map((name) => JSON.parse(readFileSync(path.join(directory, name), 'utf8')) as StoryRow) // as writeRow left it
    .sort((a, b) => a.story.localeCompare(b.story, 'en', { numeric: true }));
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
