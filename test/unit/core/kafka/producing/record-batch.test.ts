import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { OutgoingMessage } from '#core/kafka';
import { encodeRecordBatch } from '../../../../../packages/core/kafka/producing/record-batch.ts';

type Encoded = { readonly buffer: Buffer };

const require = createRequire(import.meta.url);
const kafkajsRecord = require('kafkajs/src/protocol/recordBatch/record/v0') as (record: object) => Encoded;
const { RecordBatch: kafkajsBatch } = require('kafkajs/src/protocol/recordBatch/v0') as {
  RecordBatch: (batch: object) => Promise<Encoded>;
};

const TIME = 1_795_400_000_123;

describe('a record batch', () => {
  for (const [title, messages] of [
    ['one message', [{ value: Buffer.from('one') }]],
    ['a text with letters of several bytes', [{ value: 'größer 🚀' }]],
    ['an empty value and none', [{ value: '' }, { value: null }, { value: new Uint8Array(0) }]],
    ['a key and headers', [{ value: 'v', key: 'ключ', headers: { topic: 'counts', ö: '' } }]],
    ['an empty key', [{ value: 'v', key: '' }]],
    ['lengths around the borders of a byte', [62, 63, 64, 65, 8190, 8191, 8192, 300_000].map(ofLength)],
    ['more messages than one byte can number', Array.from({ length: 200 }, (_, n) => ofLength(n))],
  ] satisfies [string, OutgoingMessage[]][]) {
    it(`has the same bytes as that of kafkajs: ${title}`, async () => {
      const ours = encodeRecordBatch(messages, TIME);
      expect(ours.equals(await encodeByKafkajs(messages))).to.equal(true);
    });
  }

  it('contains the part that a view shows of a longer buffer', () => {
    const bytes = Buffer.from('before bytes after');
    const view = new Uint8Array(bytes.buffer, bytes.byteOffset + 7, 5);
    const copy = Buffer.from('bytes');
    expect(encodeRecordBatch([{ value: view }], TIME)).to.deep.equal(
      encodeRecordBatch([{ value: copy }], TIME),
    );
  });
});

function ofLength(length: number): OutgoingMessage {
  return { value: Buffer.alloc(length, 'x') };
}

async function encodeByKafkajs(messages: readonly OutgoingMessage[]): Promise<Buffer> {
  const records = messages.map(({ key = null, value, headers = {} }, offsetDelta) =>
    kafkajsRecord({ key, value: value && Buffer.from(value), headers, offsetDelta }),
  );
  const times = { firstTimestamp: TIME, maxTimestamp: TIME };
  const batch = await kafkajsBatch({ records, ...times, lastOffsetDelta: messages.length - 1 });
  return batch.buffer;
}
