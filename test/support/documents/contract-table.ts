import { readFileSync, writeFileSync } from 'node:fs';
import type { ZooCase } from '../zoo/cases.ts';
import { type Outcomes, RULES } from '../zoo/rules.ts';

const FILE = 'docs/use/contract.md';
const BEGIN = '<!-- begin of the generated table -->\n\n';
const END = '\n\n<!-- end of the generated table -->';

export type Seen = {
  readonly zooCase: ZooCase;
  readonly outcomes: Outcomes;
  readonly rules: readonly number[];
};

/** The table of all places, as the document shows it: places with the same answers share a row. */
export function contractTable(seen: readonly Seen[]): string {
  const places = new Map<string, Seen[]>();
  for (const one of seen) {
    const place = `${one.zooCase.path.path} ${one.zooCase.place}`;
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  const rows = new Map<string, string[]>();
  for (const [place, cases] of places) {
    const rejected = cases.filter(({ outcomes }) => !outcomes.flagmeter.isTaken);
    const rules = [...new Set(cases.flatMap((one) => one.rules))].toSorted((a, b) => a - b);
    const path = place.slice(0, place.indexOf(' '));
    const key = `${path} | ${kinds(rejected, cases)} | ${rules.map((rule) => rule + 1).join(', ')}`;
    rows.set(key, [...(rows.get(key) ?? []), `\`${place.slice(path.length + 1)}\``]);
  }
  const list = [...rows].map(([key, names]) => {
    const [path = '', ...rest] = key.split(' | ');
    return `| \`${path}\` | ${names.join(', ')} | ${rest.join(' | ')} |`;
  });
  return [
    '| path | members | rejected with 400 | rules |',
    '|---|---|---|---|',
    ...list,
    '',
    ...RULES.map(({ text, reason }, index) => `${index + 1}. ${text} ${reason}`),
  ].join('\n');
}

function kinds(rejected: readonly Seen[], all: readonly Seen[]): string {
  if (rejected.length === 0) return '';
  const taken = all.filter((one) => !rejected.includes(one));
  if (taken.length === 0) return 'everything';
  const namesOf = (cases: readonly Seen[]): string => cases.map(({ zooCase }) => zooCase.kind).join(', ');
  return taken.length < rejected.length ? `all but ${namesOf(taken)}` : namesOf(rejected);
}

/** The table in the document. With CONTRACT_TABLE=write, the document gets this one first. */
export function documentedContract(table: string): string {
  const text = readFileSync(FILE, 'utf8');
  const [start, end] = [text.indexOf(BEGIN) + BEGIN.length, text.indexOf(END)];
  if (process.env['CONTRACT_TABLE'] !== 'write') return text.slice(start, end);
  writeFileSync(FILE, `${text.slice(0, start)}${table}${text.slice(end)}`);
  return table;
}
