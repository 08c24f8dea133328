import { setTimeout as sleep } from 'node:timers/promises';
import { Command, Option } from 'commander';
import { type ClickHouse, asReader, openClickHouse } from '#core/clickhouse';
import { type Config, FlagmeterError } from '#base/runtime';
import { alignRight } from '../../columns.ts';
import { jsonOption, printJson } from '../../print-json.ts';
import { type TopFeature, readOutcomes, readTopFeatures } from './top-features.ts';

const PAUSE_MS = 2000;
const READ_DEADLINE_MS = 10_000;
/** Moves the cursor to the upper left and clears the screen below it. */
const CLEAR = '\u001b[H\u001b[J';

type Options = { readonly limit: string; readonly once: boolean; readonly json: boolean };

export function createTopCommand({ readConfig }: { readonly readConfig: () => Config }): Command {
  return new Command()
    .option('--limit <number>', 'at most so many features', '20')
    .addOption(new Option('--once', 'print one table and end').default(false))
    .addOption(jsonOption().implies({ once: true }))
    .action(async ({ limit, once, json }: Options) => {
      if (!/^[1-9]\d{0,3}$/.test(limit)) throw new FlagmeterError('usage', '--limit must be 1 to 9999');
      const config = readConfig();
      const db = openClickHouse({ ...asReader(config.clickhouse), readDeadlineMs: READ_DEADLINE_MS });
      const look = { db, topic: config.kafka.topics.counts, limit: Number(limit) };
      try {
        if (json) printJson(await read(look));
        else if (once) console.log(await readScreen(look));
        else await watch(look);
      } finally {
        await db.close();
      }
    });
}

type Look = { readonly db: ClickHouse; readonly topic: string; readonly limit: number };

/** Refreshes until Ctrl-C, which may end it at any time because it only reads. A failed reading is shown and does not end it. */
async function watch(look: Look): Promise<never> {
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => process.exit());
  const isTerminal = process.stdout.isTTY;
  for (;;) {
    const screen = await readScreen(look).catch((error: unknown) =>
      error instanceof Error ? error.message : String(error),
    );
    console.log(isTerminal ? `${CLEAR}${screen}` : `${screen}\n`);
    await sleep(PAUSE_MS);
  }
}

async function read({ db, topic, limit }: Look) {
  const [features, accounting] = await Promise.all([readTopFeatures(db, limit), readOutcomes(db, topic)]);
  return { at: new Date(), features, accounting };
}

async function readScreen(look: Look): Promise<string> {
  const { at, features, accounting } = await read(look);
  const { received, counted, refused, duplicate, dead } = accounting;
  const parts = [counted, refused, duplicate, dead].map(format);
  const now = at.toISOString();
  return [
    `${now.slice(0, 10)} ${now.slice(11, 19)} UTC, evaluations of the hour since ${now.slice(11, 13)}:00`,
    ...tableOf(features),
    `received = counted + refused + duplicate + dead: ${format(received)} = ${parts.join(' + ')}`,
  ].join('\n');
}

/** Names are the last column, because they may be long. */
function tableOf(features: readonly TopFeature[]): string[] {
  if (features.length === 0) return ['This hour has no evaluations yet.'];
  const cells = features.map(({ yes, no, unknown, apps, percent_on: percent }) => [
    ...[BigInt(yes) + BigInt(no) + BigInt(unknown), yes, no, unknown].map(format),
    percent === null ? '' : percent.toFixed(1),
    apps,
  ]);
  const names = ['feature', ...features.map((row) => `${row.feature_name} (${row.environment})`)];
  const lines = alignRight([['evaluations', 'yes', 'no', 'not reported', 'on %', 'apps'], ...cells]);
  return lines.map((line, index) => `${line}  ${names[index] ?? ''}`);
}

function format(value: bigint | string): string {
  return BigInt(value).toLocaleString('en-US');
}
