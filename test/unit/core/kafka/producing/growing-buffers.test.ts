import { createRequire } from 'node:module';
import { expect } from 'chai';
import fc from 'fast-check';
import '#core/kafka';

type Encoder = {
  readonly buffer: Buffer;
  writeBuffer(bytes: Buffer): Encoder;
  writeInt32(value: number): Encoder;
};

const KafkaEncoder = createRequire(import.meta.url)('kafkajs/src/protocol/encoder') as new (
  initialSize?: number,
) => Encoder;

describe('what kafkajs encodes', () => {
  it('has exactly the bytes that were written, however long they are', () => {
    const piece = fc.oneof(
      fc.uint8Array({ maxLength: 40 }),
      fc.integer({ min: 0, max: 5000 }).map((length) => new Uint8Array(length).fill(7)),
    );
    fc.assert(
      fc.property(
        fc.array(piece, { maxLength: 20 }),
        fc.integer({ min: 1, max: 600 }),
        (pieces, initialSize) => {
          const encoder = new KafkaEncoder(initialSize);
          for (const bytes of pieces) encoder.writeInt32(bytes.length).writeBuffer(Buffer.from(bytes));
          const expected = pieces.flatMap((bytes) => {
            const length = Buffer.alloc(4);
            length.writeInt32BE(bytes.length);
            return [length, Buffer.from(bytes)];
          });
          expect(encoder.buffer.equals(Buffer.concat(expected))).to.equal(true);
        },
      ),
    );
  });
});
