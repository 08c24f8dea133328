import { exchange } from '../../../../../tools/stack/index.ts';

type Quota = {
  readonly clientId: string;
  readonly key: 'producer_byte_rate' | 'consumer_byte_rate';
  /** Undefined removes the quota. */
  readonly bytesPerSecond: number | undefined;
};

/** AlterClientQuotas, version 0. kafkajs has no such request. */
const API_KEY = 49;
/** Length, correlation, throttle time and number of entries come before the error code of the first entry. */
const ERROR_AT = 16;

/** Sets or removes a quota of a client id, as `kafka-configs.sh` does. */
export async function setQuota(broker: { readonly address: string }, quota: Quota): Promise<void> {
  const port = Number(broker.address.split(':').at(-1));
  const answer = await exchange(port, encode(quota));
  if (answer === undefined || answer.length < ERROR_AT + 2) throw new Error('Kafka did not set the quota');
  const code = answer.readInt16BE(ERROR_AT - 4);
  if (code !== 0) throw new Error(`Kafka answers the quota with error ${code}`);
}

function encode({ clientId, key, bytesPerSecond }: Quota): Buffer {
  const value = Buffer.alloc(8);
  value.writeDoubleBE(bytesPerSecond ?? 0);
  const isRemoval = bytesPerSecond === undefined;
  const request = Buffer.concat([
    int16(API_KEY),
    int16(0),
    int32(1),
    text('test'),
    int32(1),
    int32(1),
    text('client-id'),
    text(clientId),
    int32(1),
    text(key),
    value,
    Buffer.from([isRemoval ? 1 : 0]),
    Buffer.from([0]), // not only validated
  ]);
  return Buffer.concat([int32(request.length), request]);
}

function int16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeInt16BE(value);
  return bytes;
}

function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

function text(value: string): Buffer {
  const bytes = Buffer.from(value);
  return Buffer.concat([int16(bytes.length), bytes]);
}
