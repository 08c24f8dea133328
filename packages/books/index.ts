import { setTimeout as sleep } from 'node:timers/promises';
import { type Accounting, type Difference, type PartitionAccount, findDifferences } from '#domain';
import type { Config, Log } from '#runtime';
import {
  type DeadLetterAccount,
  type StoredAccount,
  createBlocks,
  openClickHouse,
  readAccount,
  readDeadLetterAccount,
} from '#stores';
import { type Watermarks, createKafka, readWatermarks } from '#stream';

/** What was received and what became of it, as blocks, usage tables and the log tell it. */
export type Books = {
  /** The books as they stand; each partition of the log is there, even one that no block was stored of. */
  read(): Promise<Accounting>;
  /** The books with what does not add up in them at whichever moment one looks. */
  readAgreed(): Promise<ComparedBooks>;
  /** What became of the dead letters of the counts topic. */
  readDeadLetters(): Promise<DeadLetterAccount>;
  close(): Promise<void>;
};

export type ComparedBooks = {
  readonly accounting: Accounting;
  readonly differences: readonly Difference[];
};

/** On live data an INSERT may be half visible: a place is at fault only if it disagrees at every look. */
const LOOKS = 20;
const PAUSE_MS = 250;

export function openBooks(config: Config, log: Log): Books {
  const { counts } = config.kafka.topics;
  const db = openClickHouse(config.clickhouse);
  const epochs = createBlocks(db);
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-books', retries: 5, log });
  const read = async (): Promise<Accounting> => {
    // The end of the log last: what was stored meanwhile must not look like more than was there.
    const { partitions, days } = await readAccount(db, counts);
    const extent = {
      topic: counts,
      epoch: await epochs.readEpoch(counts),
      ends: await readWatermarks(kafka, counts),
    };
    return { partitions: withLog(partitions, extent), days };
  };
  return {
    read,
    async readAgreed() {
      let suspects: ReadonlySet<string> | undefined;
      for (let look = 1; ; look += 1) {
        const accounting = await read();
        const differences = findDifferences(accounting).filter(({ place }) => suspects?.has(place) ?? true);
        suspects = new Set(differences.map(({ place }) => place));
        if (differences.length === 0 || look === LOOKS) return { accounting, differences };
        await sleep(PAUSE_MS);
      }
    },
    readDeadLetters: () => readDeadLetterAccount(db, counts),
    close: () => db.close(),
  };
}

type LogExtent = {
  readonly topic: string;
  readonly epoch: number;
  readonly ends: ReadonlyMap<number, Watermarks>;
};

const NOTHING = {
  blocks: 0,
  gaps: 0,
  overlaps: 0,
  received: 0,
  counted: 0,
  refused: 0,
  duplicate: 0,
  dead: 0,
};

/** Adds what only the log knows: messages in flight, and partitions without any block. */
function withLog(stored: StoredAccount['partitions'], { topic, epoch, ends }: LogExtent): PartitionAccount[] {
  const accounts = stored.map((account) => {
    const end = account.epoch === epoch ? ends.get(account.partition)?.high : undefined;
    return { ...account, inFlight: end === undefined ? 0n : end - account.to };
  });
  const known = new Set(accounts.flatMap((account) => (account.epoch === epoch ? account.partition : [])));
  for (const [partition, { low, high }] of ends) {
    if (known.has(partition)) continue;
    accounts.push({ ...NOTHING, topic, epoch, partition, from: low, to: low, inFlight: high - low });
  }
  return accounts.sort((a, b) => a.epoch - b.epoch || a.partition - b.partition);
}
