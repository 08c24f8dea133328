import type { LogRecord } from './partition-log.ts';
import type { Client } from './connection.ts';
import { connectionError } from './errors.ts';

type FetchedPart = {
  readonly partition: number;
  readonly from: number;
  readonly records: readonly LogRecord[];
  /** The end of the replicated records. */
  readonly end: number;
};

/** Longest wait for more messages. */
const MAX_WAIT_MS = 1000;
const MAX_RECORDS = 20;

/** Fetches the records at positions, after a wait for more. Never the same number, so that blocks end anywhere. */
export async function fetchSoon(
  { network, brokers, schedule, random, connection }: Client,
  topic: string,
  positions: readonly (readonly [partition: number, from: number])[],
): Promise<FetchedPart[]> {
  try {
    return await network.call<FetchedPart[]>(brokers, {
      label: `fetch ${topic}`,
      timeoutMs: 3000,
      connection,
      serve: ({ resolve }) => {
        schedule.after(brokers.actor, random() * MAX_WAIT_MS, {
          label: 'fetched',
          action: () => {
            const parts = positions.map(([partition, position]) => {
              const log = brokers.logOf(topic, partition);
              const from = Math.max(position, log.start);
              return {
                partition,
                from,
                records: log.read(from, 1 + Math.floor(random() * MAX_RECORDS)),
                end: log.replicatedTo,
              };
            });
            resolve(parts.filter(({ records }) => records.length > 0));
          },
        });
      },
    });
  } catch (error) {
    throw connectionError(error);
  }
}
