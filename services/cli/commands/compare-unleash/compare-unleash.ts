import { setTimeout as sleep } from 'node:timers/promises';
import { Command } from 'commander';
import { asReader, openClickHouse } from '#core/clickhouse';
import { type Config, FlagmeterError, amountOf } from '#base/runtime';
import { createUnleash } from '#unleash/client';
import { type Comparison, compareWithUnleash } from './compare.ts';
import type { Difference, Sums } from './differences.ts';
import { type HoursOptions, hoursOf } from './hours.ts';

/** Exit codes. An outage has its own code, so that a script does not mistake it for a difference. */
const EXIT = { equal: 0, differ: 1, unknown: 2 } as const;
const READ_DEADLINE_MS = 30_000;
/** The mirror buffers counts for three seconds, and Unleash for five. */
const SETTLE_MS = 12_000;

type Options = HoursOptions & { readonly json?: boolean };

export function createCompareUnleashCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .option('--day <day>', 'the complete hours of a day (UTC) that Unleash still has')
    .option('--hour <time>', 'the hour that contains this time; default: the last complete hour')
    .option('--json', 'print the comparison as one JSON document')
    .action(async ({ json = false, ...options }: Options) => {
      process.exitCode = EXIT.unknown; // until both sides are read
      const comparison = await compare(readConfig(), options);
      console.log(json ? JSON.stringify(comparison, undefined, 2) : textOf(comparison));
      const isUnknown = comparison.features === 0 || comparison.incomparable.length > 0;
      process.exitCode = !comparison.isEqual ? EXIT.differ : isUnknown ? EXIT.unknown : EXIT.equal;
    });
}

async function compare(config: Config, options: HoursOptions): Promise<Comparison> {
  const { unleash, clickhouse } = config;
  if (unleash?.adminToken === undefined)
    throw new FlagmeterError(
      'usage',
      'UNLEASH_URL and UNLEASH_ADMIN_TOKEN are needed: the address of Unleash and an ADMIN token of it',
    );
  const hours = hoursOf(options, Date.now());
  const db = openClickHouse({ ...asReader(clickhouse), readDeadlineMs: READ_DEADLINE_MS });
  try {
    const sides = {
      db,
      unleash: createUnleash({ url: unleash.url }),
      adminSecret: unleash.adminToken,
      environments: unleash.mirror && new Set(unleash.mirror.secrets.keys()),
      hours,
    };
    return await compareWithUnleash(sides, () => sleep(SETTLE_MS));
  } finally {
    await db.close();
  }
}

function textOf(comparison: Comparison): string {
  const { from, to, environments, features, differences, differenceCount } = comparison;
  const { underDefault, unknownToUnleash, incomparable } = comparison;
  const where = environments === null ? 'all environments' : environments.join(', ');
  return [
    `Hours from ${from} to ${to}, ${amountOf(features, 'feature')}, ${where}.`,
    ...differences.map(lineOf),
    ...(differenceCount > differences.length ? [`  and ${differenceCount - differences.length} more`] : []),
    ...(underDefault.evaluations === 0
      ? []
      : [
          `Unleash counts ${amountOf(underDefault.evaluations, 'evaluation')} with tokens for all environments under default, and flagmeter under the environments that their SDKs named: ${underDefault.features.join(', ')}`,
        ]),
    ...(unknownToUnleash.length === 0
      ? []
      : [
          `Unleash does not know these features, and stores none of their evaluations: ${unknownToUnleash.join(', ')}`,
        ]),
    ...(incomparable.length === 0
      ? []
      : [`Unleash shows only the first 100 applications of these features: ${incomparable.join(', ')}`]),
    conclusionOf(comparison),
  ].join('\n');
}

function conclusionOf({ isEqual, features, differenceCount, excess, incomparable }: Comparison): string {
  if (!isEqual)
    return [
      `Unleash and flagmeter differ in ${amountOf(differenceCount, 'sum')}. Unleash has ${amountOf(excess.tooMany, 'evaluation')} too many and ${excess.tooFew} too few.`,
      'Posts of the mirror without an answer cause up to flagmeter_mirror_evaluations_total{outcome="unanswered"} of them.',
    ].join('\n');
  if (features === 0) return 'Flagmeter counted nothing in this time: nothing to compare.';
  return incomparable.length === 0 ? 'Equal.' : 'Equal as far as Unleash shows its sums.';
}

function lineOf({ hour, environment, featureName, appName, flagmeter, unleash }: Difference): string {
  return `  ${hour} ${environment} ${featureName} ${appName}: flagmeter ${sumsText(flagmeter)}, Unleash ${sumsText(unleash)}`;
}

function sumsText(sums: Sums | null): string {
  if (sums === null) return 'nothing';
  const variants = Object.entries(sums.variants).map(([name, count]) => `${name} ${count}`);
  return [`yes ${sums.yes}`, `no ${sums.no}`, ...variants].join(' ');
}
