import { writeSync } from 'node:fs';
import { createClient } from '@clickhouse/client';
import { Kafka } from 'kafkajs';

/**
 * Wraps single functions of the client libraries in a service process. So a test can break a rule of counting, or end
 * the process between two steps, without a switch in the product. Each patch logs when it has taken effect.
 */
export type Committed = {
  readonly topics: readonly {
    readonly topic: string;
    readonly partitions: readonly {
      readonly partition: number;
      readonly offset: string;
      readonly metadata: string;
    }[];
  }[];
};

type Commit = (committed: Committed) => Promise<void>;
type EachBatch = (payload: { commitOffsetsIfNecessary: Commit }) => Promise<void>;
type Consumer = { run(options: { eachBatch: EachBatch }): Promise<void> };
type Producer = { send(record: Record): Promise<unknown> };
export type Record = { readonly topic: string; readonly messages: readonly { readonly partition: number }[] };
export type Insert = {
  readonly query: string;
  readonly values: AsyncIterable<Buffer>;
  readonly clickhouse_settings: { [name: string]: unknown };
};
type Exec = (parameters: Insert) => Promise<unknown>;

/** Wraps the commits of the counts topic, but not those of applications. */
export function patchCommits(wrap: (committed: Committed, commit: Commit) => Promise<void>): void {
  patchFactory('consumer', (made) => {
    const consumer = made as Consumer; // the wrapped members
    const run = consumer.run.bind(consumer);
    consumer.run = (options) =>
      run({
        ...options,
        eachBatch: (payload) => {
          const commit = payload.commitOffsetsIfNecessary;
          return options.eachBatch({
            ...payload,
            commitOffsetsIfNecessary: (committed) =>
              committed.topics.every(({ topic }) => topic.endsWith('.counts'))
                ? wrap(committed, commit)
                : commit(committed),
          });
        },
      });
  });
}

/** Wraps the INSERTs of blocks. */
export function patchInserts(wrap: (parameters: Insert, exec: Exec) => Promise<unknown>): void {
  // The clients are not instances of the class that the package exports.
  const prototype = Object.getPrototypeOf(createClient()) as { exec: Exec };
  const original = prototype.exec;
  prototype.exec = function (parameters) {
    const exec: Exec = (changed) => original.call(this, changed);
    return /^insert into (mixed_)?block_rows/.test(parameters.query)
      ? wrap(parameters, exec)
      : exec(parameters);
  };
}

/** Wraps the sends to Kafka. */
export function patchSends(wrap: (record: Record, send: Producer['send']) => Promise<unknown>): void {
  patchFactory('producer', (made) => {
    const producer = made as Producer; // the wrapped members
    const send = producer.send.bind(producer);
    producer.send = (record) => wrap(record, send);
  });
}

/** Writes a line to the log of the process before the next statement runs. */
export function say(text: string): void {
  writeSync(2, `preload: ${text}\n`);
}

function patchFactory(name: 'consumer' | 'producer', patch: (made: unknown) => void): void {
  const prototype = Kafka.prototype as unknown as { [factory in typeof name]: (options: unknown) => unknown };
  const original = prototype[name];
  prototype[name] = function (options) {
    const made = original.call(this, options);
    patch(made);
    return made;
  };
}
