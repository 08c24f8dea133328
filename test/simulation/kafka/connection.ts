import type { Connection, Network } from '../network.ts';
import type { Schedule } from '../time/schedule.ts';
import type { Brokers } from './brokers.ts';
import { connectionError } from './errors.ts';

export type KafkaWorld = {
  readonly schedule: Schedule;
  readonly network: Network;
  readonly random: () => number;
  readonly brokers: Brokers;
};

/** What a client of kafkajs has: a connection to the brokers. */
export type Client = KafkaWorld & { readonly connection: Connection };

/** `requestTimeout` of our clients. */
const REQUEST_TIMEOUT_MS = 3000;

/** Asks the brokers; rejects with an error of kafkajs. */
export async function ask<T>(
  { network, brokers, connection }: Client,
  label: string,
  answer: () => T,
): Promise<T> {
  try {
    return await network.call<T>(brokers, {
      label,
      timeoutMs: REQUEST_TIMEOUT_MS,
      connection,
      serve: ({ resolve, reject }) => {
        try {
          resolve(answer());
        } catch (error) {
          reject(error as Error); // of the brokers
        }
      },
    });
  } catch (error) {
    throw connectionError(error);
  }
}
