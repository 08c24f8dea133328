import { setTimeout as sleep } from 'node:timers/promises';
import {
  type DeadLetterAccount,
  asReader,
  createBlocks,
  openClickHouse,
  readDeadLetterAccount,
} from '#clickhouse';
import { type Watermarks, createKafka, readWatermarksSoon } from '#kafka';
import type { Config, Log } from '#runtime';
import { type Accounting, type Difference, type PartitionAccount, findDifferences } from './differences.ts';
import { type StoredAccount, readAccount } from './read-account.ts';
import { Suspects } from './suspects.ts';
import { BooksUnavailableError, readEngine } from './unavailable.ts';

/** What was received and what became of it, as blocks, usage tables and the log tell it. */
export type Books = {
  /** The books as they stand; each partition of the log is there, even one that no block was stored of. */
  read(since?: number): Promise<Accounting>;
  /** The books with what does not add up in them at whichever moment one looks. */
  readAgreed(look?: Look): Promise<ComparedBooks>;
  close(): Promise<void>;
};

export type Look = {
  /** Only blocks stored since, and days that began since (epoch milliseconds). */
  readonly since?: number | undefined;
  /** How long to look again before a difference is believed. */
  readonly patienceMs?: number;
};

export type ComparedBooks = {
  readonly accounting: Accounting;
  readonly differences: readonly Difference[];
  /** What became of all dead letters of the counts topic. */
  readonly deadLetters: DeadLetterAccount;
};

/** On a busy machine an INSERT takes seconds, and shows its first tables long before its last. */
const PATIENCE_MS = 10_000;
const PAUSE_MS = 250;
/** A machine that is slow may show an INSERT by halves for long: then it takes so many times the patience to tell. */
const MOST = 2;
const TOO_FAST =
  'Every read met a block that ClickHouse was still storing, so the accounting cannot be compared at the moment.';

/** Nobody waits longer for an engine than `deadlineMs`: a BooksUnavailableError says which one and why. */
export function openBooks(config: Config, log: Log, deadlineMs = 15_000): Books {
  const topic = config.kafka.topics.counts;
  const db = openClickHouse({ ...asReader(config.clickhouse), readDeadlineMs: deadlineMs });
  const epochs = createBlocks(db);
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-books', retries: 2, log });
  const read: Books['read'] = async (since) => {
    const stored = Promise.all([readAccount(db, topic, since), epochs.readEpoch(topic)]);
    const [{ partitions, days }, epoch] = await readEngine('ClickHouse', stored, deadlineMs);
    // The end of the log last: what was stored meanwhile must not look like more than was there.
    const ends = await readEngine('Kafka', readWatermarksSoon(kafka, topic), deadlineMs);
    return { partitions: withLog(partitions, { topic, epoch, ends }), days };
  };
  return {
    read,
    async readAgreed({ since, patienceMs = PATIENCE_MS } = {}) {
      const compared = await lookUntilCertain(() => read(since), patienceMs);
      const deadLetters = await readEngine('ClickHouse', readDeadLetterAccount(db, topic), deadlineMs);
      return { ...compared, deadLetters };
    },
    close: () => db.close(),
  };
}

/** Looks again while what does not add up may be an INSERT that some of its tables show and others do not yet. */
async function lookUntilCertain(
  read: () => Promise<Accounting>,
  patienceMs: number,
): Promise<Omit<ComparedBooks, 'deadLetters'>> {
  const suspects = new Suspects();
  const startedAt = Date.now();
  for (;;) {
    const accounting = await read();
    const suspected = suspects.look(findDifferences(accounting));
    if (suspected.length === 0) return { accounting, differences: [] };
    const differences = suspects.certain();
    const elapsedMs = Date.now() - startedAt;
    const isSettled = differences.length === suspected.length;
    if (isSettled && elapsedMs >= patienceMs) return { accounting, differences };
    if (elapsedMs >= MOST * patienceMs) {
      if (differences.length === 0) throw new BooksUnavailableError(TOO_FAST);
      return { accounting, differences };
    }
    await sleep(PAUSE_MS);
  }
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
  refusedByReason: {},
  duplicate: 0,
  dead: 0,
};

/** Adds what only the log knows: messages in flight, and partitions without any block. */
function withLog(stored: StoredAccount['partitions'], { topic, epoch, ends }: LogExtent): PartitionAccount[] {
  // Of a topic that is no more there is something to tell only if it has blocks.
  const told = stored.filter((account) => account.epoch === epoch || account.blocks > 0);
  const accounts = told.map((account) => {
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
