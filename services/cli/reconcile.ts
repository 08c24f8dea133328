import { type Accounting, type Difference, findDifferences, sumTallies } from '#domain';
import { type Config, createLog } from '#runtime';
import { openClickHouse, readAccount } from '#stores';
import { createKafka, readWatermarks } from '#stream';
import { setTimeout as sleep } from 'node:timers/promises';

/** On live data an INSERT may be half visible: a place is at fault only if it disagrees at every look. */
const LOOKS = 20;
const PAUSE_MS = 250;

/** Prints the books; gives whether they agree. */
export async function reconcile(config: Config, asJson: boolean): Promise<boolean> {
  const { accounting, differences } = await lookUntilAgreed(config);
  if (asJson) console.log(JSON.stringify({ ...accounting, differences }, bigintsAsStrings, 2));
  else printBooks(accounting, differences);
  return differences.length === 0;
}

type Books = { readonly accounting: Accounting; readonly differences: readonly Difference[] };

async function lookUntilAgreed(config: Config): Promise<Books> {
  const db = openClickHouse(config.clickhouse);
  try {
    let suspects: ReadonlySet<string> | undefined;
    for (let look = 1; ; look += 1) {
      const accounting = await readBooks(config, db);
      const differences = findDifferences(accounting).filter(({ place }) => suspects?.has(place) ?? true);
      suspects = new Set(differences.map(({ place }) => place));
      if (differences.length === 0 || look === LOOKS) return { accounting, differences };
      await sleep(PAUSE_MS);
    }
  } finally {
    await db.close();
  }
}

async function readBooks(config: Config, db: ReturnType<typeof openClickHouse>): Promise<Accounting> {
  const { counts } = config.kafka.topics;
  const kafka = createKafka({
    brokers: config.kafka.brokers,
    clientId: 'flagmeter-cli',
    retries: 5,
    log: createLog('cli', 'error'),
  });
  const { partitions, days } = await readAccount(db, counts);
  const watermarks = await readWatermarks(kafka, counts);
  const latestEpoch = Math.max(0, ...partitions.map(({ epoch }) => epoch));
  const withLag = partitions.map((account) => {
    const end = account.epoch === latestEpoch ? watermarks.get(account.partition)?.high : undefined;
    return { ...account, inFlight: end === undefined ? 0n : end - account.to };
  });
  return { partitions: withLag, days };
}

function printBooks(accounting: Accounting, differences: readonly Difference[]): void {
  console.table(
    accounting.partitions.map(({ topic: _topic, from, to, inFlight, ...account }) => ({
      ...account,
      from: Number(from),
      to: Number(to),
      inFlight: Number(inFlight),
    })),
  );
  const { received, counted, refused, duplicate, dead } = sumTallies(accounting.partitions);
  console.log(
    `received = counted + refused + duplicate + dead: ${received} = ${counted} + ${refused} + ${duplicate} + ${dead}`,
  );
  for (const { place, text } of differences) console.log(`  ${place}: ${text}`);
  const days = new Set(accounting.days.map(({ day }) => day)).size;
  console.log(
    differences.length === 0
      ? `The books agree: blocks tile the log, and blocks and usage tables hold the same sums on ${days} days.`
      : `The books do not agree: ${differences.length} differences.`,
  );
}

function bigintsAsStrings(_key: string, value: unknown): unknown {
  return typeof value === 'bigint' ? value.toString() : value;
}
