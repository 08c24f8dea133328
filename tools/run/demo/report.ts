import type { Tally } from '#core/counting';
import type { Figures } from './expectation.ts';

type FeatureSums = { yes: number; no: number; variants: number };

/** Views with evaluations per hour. */
type UsageViews = { readonly usage_by_hour: Figures; readonly variants_by_hour: Figures };

const COLUMNS = [
  'yes sent',
  'yes stored',
  'no sent',
  'no stored',
  'variants sent',
  'variants stored',
] as const;

/** Sent and stored numbers, one line per feature and one for the total. */
export function featureTable(sent: UsageViews, stored: UsageViews): string {
  const [sentSums, storedSums] = [sumByFeature(sent), sumByFeature(stored)];
  const features = [...new Set([...sentSums.keys(), ...storedSums.keys()])].sort();
  const rows = features.map((feature) => row(feature, sentSums.get(feature), storedSums.get(feature)));
  const header = line('feature', [...COLUMNS]);
  const rule = '-'.repeat(header.length);
  const total = row('all', addUp(sentSums), addUp(storedSums));
  return [header, rule, ...rows, rule, total].join('\n');
}

/** The equation of the accounting, with its numbers. */
export function tallyLine({ received, counted, refused, duplicate, dead }: Tally): string {
  return `received = counted + refused + duplicate + dead: ${received} = ${counted} + ${refused} + ${duplicate} + ${dead}`;
}

/** The number of refused metrics for each reason. */
export function refusalLine(refusals: Figures): string {
  const sums = new Map<string, number>();
  for (const [key, [count = 0]] of refusals) {
    const [reason = ''] = JSON.parse(key) as string[]; // keys are arrays of texts
    sums.set(reason, (sums.get(reason) ?? 0) + count);
  }
  return [...sums].map(([reason, count]) => `${reason} ${count}`).join(', ');
}

function sumByFeature({
  usage_by_hour: usage,
  variants_by_hour: variants,
}: UsageViews): Map<string, FeatureSums> {
  const sums = new Map<string, FeatureSums>();
  const sumsOf = (key: string): FeatureSums => {
    const [feature = ''] = JSON.parse(key) as string[]; // keys are arrays of texts
    const found = sums.get(feature) ?? { yes: 0, no: 0, variants: 0 };
    sums.set(feature, found);
    return found;
  };
  for (const [key, [yes = 0, no = 0]] of usage) {
    const feature = sumsOf(key);
    feature.yes += yes;
    feature.no += no;
  }
  for (const [key, [count = 0]] of variants) sumsOf(key).variants += count;
  return sums;
}

function addUp(sums: ReadonlyMap<string, FeatureSums>): FeatureSums {
  const total = { yes: 0, no: 0, variants: 0 };
  for (const { yes, no, variants } of sums.values()) {
    total.yes += yes;
    total.no += no;
    total.variants += variants;
  }
  return total;
}

const NOTHING: FeatureSums = { yes: 0, no: 0, variants: 0 };

function row(name: string, sent = NOTHING, stored = NOTHING): string {
  const pairs = [
    [sent.yes, stored.yes],
    [sent.no, stored.no],
    [sent.variants, stored.variants],
  ] as const;
  const isEqual = pairs.every(([one, other]) => one === other);
  const cells = pairs.flat().map((figure) => figure.toLocaleString('en'));
  return `${line(name, cells)}${isEqual ? '' : '  <- differs'}`;
}

function line(name: string, cells: readonly string[]): string {
  return (
    name.slice(0, 20).padEnd(20) + cells.map((cell, index) => cell.padStart(index < 4 ? 12 : 17)).join('')
  );
}
