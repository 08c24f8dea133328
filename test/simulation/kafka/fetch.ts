import type { LogRecord } from './partition-log.ts';
import type { Client } from './connection.ts';
import { ProtocolError, connectionError } from './errors.ts';

type FetchedPart = {
  readonly partition: number;
  readonly from: number;
  readonly records: readonly LogRecord[];
  /** The end of the replicated records. */
  readonly end: number;
};

export type Fetched = {
  readonly parts: readonly FetchedPart[];
  /** Partitions whose position is not in the log. */
  readonly outOfRange: readonly number[];
};

/** Longest wait for more messages. */
const MAX_WAIT_MS = 1000;
/** Of a partition, in one answer. */
export const MAX_RECORDS = 20;

/** Fetches the records at positions, after a wait for more. Never the same number, so that blocks end anywhere. */
export async function fetchSoon(
  { network, brokers, schedule, random, connection }: Client,
  topic: string,
  positions: readonly (readonly [partition: number, from: number])[],
): Promise<Fetched> {
  try {
    return await network.call<Fetched>(brokers, {
      label: `fetch ${topic}`,
      timeoutMs: 3000,
      connection,
      serve: ({ resolve, reject }) => {
        schedule.after(brokers.actor, random() * MAX_WAIT_MS, {
          label: 'fetched',
          action: () => {
            const logs = brokers.topics.get(topic) ?? [];
            if (logs.length === 0) reject(new ProtocolError('UNKNOWN_TOPIC_OR_PARTITION'));
            const parts: FetchedPart[] = [];
            const outOfRange: number[] = [];
            for (const [partition, from] of positions) {
              const { start = 0, replicatedTo: end = 0 } = logs[partition] ?? {};
              if (from < start || from > end) outOfRange.push(partition);
              else {
                const records = logs[partition]?.read(from, 1 + Math.floor(random() * MAX_RECORDS)) ?? [];
                if (records.length > 0) parts.push({ partition, from, records, end });
              }
            }
            resolve({ parts, outOfRange });
          },
        });
      },
    });
  } catch (error) {
    throw connectionError(error);
  }
}
