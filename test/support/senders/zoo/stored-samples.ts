import type { World } from '../../world.ts';
import type { Row } from './row.ts';

type Labels = Readonly<Record<string, string>>;

type Sum = {
  readonly name: string;
  readonly labels: Labels;
  readonly value: number;
};

const LINE = /^(\w+)\{(.*)\} (\S+)$/;
const LABEL = /(\w+)="([^"]*)"/g;

/** The sums of impact metrics that Unleash holds in memory. */
export async function samplesOfUnleash(address: string): Promise<readonly Row[]> {
  const answer = await fetch(`${address}/internal-backstage/impact/metrics`);
  return (await answer.text()).split('\n').flatMap((line) => {
    const [, name, labels = '', value] = LINE.exec(line) ?? [];
    if (name === undefined) return [];
    const pairs = Array.from(labels.matchAll(LABEL), ([, label, of]) => [label, of] as const);
    return rowOf({ name, labels: Object.fromEntries(pairs) as Labels, value: Number(value) }); // each label has a text
  });
}

const SUMS = `
  select metric_name as name, labels, toFloat64(sum(i.value)) as value
  from impact_by_hour as i
  where metric_type = 'counter'
  group by name, labels
  union all
  select concat(metric_name, '_sum') as name, labels, toFloat64(sum(i.value)) as value
  from impact_by_hour as i
  where metric_type = 'histogram'
  group by name, labels
  union all
  select concat(metric_name, '_count') as name, labels, toFloat64(sum(i.observations)) as value
  from impact_by_hour as i
  where metric_type = 'histogram'
  group by name, labels
  union all
  select
    concat(metric_name, '_bucket') as name,
    mapUpdate(h.labels, map('le', if(isInfinite(bound), '+Inf', toString(bound)))) as labels,
    toFloat64(sum(observations_up_to)) as value
  from impact_histograms_by_hour as h
  group by name, labels`;

export async function samplesOfFlagmeter(world: World): Promise<readonly Row[]> {
  return (await world.query<Sum>(SUMS)).flatMap(rowOf);
}

/** Unleash adds these labels. */
const ADDED = new Set(['origin', 'metric_type']);

/** As Unleash writes a sum. The last bucket of a histogram has its count, and may be missing. */
function rowOf({ name, labels, value }: Sum): Row[] {
  if (labels['le'] === '+Inf') return [];
  const shown = Object.entries(labels)
    .filter(([label]) => !ADDED.has(label))
    .map(([label, of]) => `${sanitized(label)}="${of}"`)
    .sort();
  const [, number] = /^zoo_(\d+)_/.exec(name) ?? [];
  const app = number === undefined ? (labels['appName'] ?? '') : `zoo-${number}`;
  return [{ app, text: `${sanitized(name)}{${shown.join(',')}} ${value}` }];
}

function sanitized(name: string): string {
  return name.replaceAll(/\W/g, '_');
}
