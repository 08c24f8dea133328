import { createRequire } from 'node:module';
import type { BrokerNote } from './broker-turns.ts';
import { errorCodeOf } from '../errors.ts';
import { type OutgoingMessage, encodeRecordBatch } from './record-batch.ts';

/**
 * The messages of a send to one partition. For kafkajs it is a single message, which our encoder of requests replaces by the record
 * batch of all of them.
 */
export class RecordGroup {
  /** kafkajs rejects messages without a value. */
  readonly value = null;
  readonly partition: number;
  readonly #messages: readonly OutgoingMessage[];
  #isEncoded = false;
  /** What the broker said with its answer, or while it gave none; undefined if none was asked. */
  note: BrokerNote | undefined;
  /** The error code in the answer to the send itself. */
  rejection: string | undefined;

  constructor(partition: number, messages: readonly OutgoingMessage[]) {
    this.partition = partition;
    this.#messages = messages;
  }

  /** Only the encoder of kafkajs reads it. That encoder must never write this message, which has no value. */
  get headers(): never {
    throw new Error('kafkajs encodes a group of messages by itself');
  }

  /**
   * Whether the group was encoded. That happens right before the request is written, and a send has one request. So what was not
   * encoded when its send ends is never written.
   */
  get isEncoded(): boolean {
    return this.#isEncoded;
  }

  encode(): Buffer {
    this.#isEncoded = true;
    return encodeRecordBatch(this.#messages, Date.now());
  }
}

type Encoder = {
  writeInt16(value: number): Encoder;
  writeInt32(value: number): Encoder;
  writeString(value: string | null): Encoder;
  writeBytes(value: Buffer): Encoder;
};

type ProduceRequest = {
  readonly acks: number;
  readonly timeout: number;
  readonly topicData: readonly {
    readonly topic: string;
    readonly partitions: readonly { readonly partition: number; readonly messages: readonly unknown[] }[];
  }[];
};

type Broker = {
  readonly nodeId: number;
  /** The second connection is for fetches. */
  readonly connectionPool: {
    readonly pool: readonly [{ readonly requestQueue: { readonly throttledUntil: number } }, unknown];
  };
  produce: (this: Broker, request: ProduceRequest) => Promise<unknown>;
};

type CreateRequest = (request: ProduceRequest) => { readonly encode: () => Promise<Encoder> };

const require = createRequire(import.meta.url);
const KafkaEncoder = require('kafkajs/src/protocol/encoder') as new () => Encoder;
/** kafkajs 2.2.4 makes all later versions of the request from this one, and loads them with the first send. */
const REQUEST = require.resolve('kafkajs/src/protocol/requests/produce/v3/request');
const createRequest = require(REQUEST) as CreateRequest;
const loaded = require.cache[REQUEST];
if (loaded === undefined) throw new Error('kafkajs has no request to produce');
loaded.exports = (request: ProduceRequest): ReturnType<CreateRequest> => {
  const created = createRequest(request);
  const [{ topic } = { topic: '' }] = request.topicData;
  const group = groupIn(request);
  if (group === undefined) return created;
  return { ...created, encode: () => Promise.resolve(encodeRequest(request, topic, group)) };
};

const { prototype } = require('kafkajs/src/broker') as { readonly prototype: Broker };
const { produce } = prototype;
/** kafkajs keeps to itself which broker it asks, how long that wants quiet, and which of several errors was the answer. */
prototype.produce = async function (request) {
  const group = groupIn(request);
  if (group === undefined) return produce.call(this, request);
  try {
    return await produce.call(this, request);
  } catch (error) {
    group.rejection = errorCodeOf(error);
    throw error;
  } finally {
    const { nodeId, connectionPool } = this;
    group.note = { nodeId, quietUntil: connectionPool.pool[0].requestQueue.throttledUntil };
  }
};

function groupIn({ topicData }: ProduceRequest): RecordGroup | undefined {
  const [{ partitions } = { partitions: [] }, ...others] = topicData;
  const group = partitions[0]?.messages[0];
  return group instanceof RecordGroup && others.length === 0 && partitions.length === 1 ? group : undefined;
}

/** A request with one partition of one topic, without a transaction. */
function encodeRequest({ acks, timeout }: ProduceRequest, topic: string, group: RecordGroup): Encoder {
  return new KafkaEncoder()
    .writeString(null)
    .writeInt16(acks)
    .writeInt32(timeout)
    .writeInt32(1)
    .writeString(topic)
    .writeInt32(1)
    .writeInt32(group.partition)
    .writeBytes(group.encode());
}
