import type { ZooCase } from '../senders/zoo/cases.ts';
import type { Outcomes } from '../senders/zoo/rules.ts';
import { csvOf } from '../../../tools/docs/csv.ts';
import { documented } from './documented.ts';

export type Seen = {
  readonly zooCase: ZooCase;
  readonly outcomes: Outcomes;
  readonly rules: readonly number[];
};

/** The table of all places, and of all ways to send a body: what is rejected there, and the numbers of the rules by which flagmeter is different. */
export function contractTable(seen: readonly Seen[]): string {
  const places = new Map<string, Seen[]>();
  for (const one of seen) {
    const place = `${one.zooCase.path.path} ${one.zooCase.place}`;
    places.set(place, [...(places.get(place) ?? []), one]);
  }
  const rows = Array.from(places, ([place, cases]) => {
    const end = place.indexOf(' ');
    const [path, member] = [place.slice(0, end), place.slice(end + 1)];
    const rejected = cases.filter(({ outcomes }) => !outcomes.flagmeter.isTaken);
    const rules = [...new Set(cases.flatMap((one) => one.rules))].toSorted((a, b) => a - b);
    return [path, member, kinds(rejected, cases), rules.map((rule) => rule + 1).join(', ')];
  });
  return csvOf([['path', 'member', 'rejected', 'rules'], ...rows]);
}

function kinds(rejected: readonly Seen[], all: readonly Seen[]): string {
  if (rejected.length === 0) return '';
  const taken = all.filter((one) => !rejected.includes(one));
  if (taken.length === 0) return 'everything';
  const namesOf = (cases: readonly Seen[]): string => cases.map(({ zooCase }) => zooCase.kind).join(', ');
  return taken.length < rejected.length ? `all but ${namesOf(taken)}` : namesOf(rejected);
}

/** The documented table. With CONTRACT_TABLE=write, the file gets this one first. */
export function documentedContract(content: string): string {
  return documented('docs/use/senders/unleash-bodies.csv', { variable: 'CONTRACT_TABLE', content });
}
