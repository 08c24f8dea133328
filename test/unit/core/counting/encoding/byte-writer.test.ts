import { expect } from 'chai';
import { ByteWriter } from '../../../../../packages/core/counting/encoding/byte-writer.ts';

describe('ByteWriter', () => {
  it('writes texts that are longer than its buffer, whatever their characters', () => {
    const writer = new ByteWriter();
    for (const text of ['x'.repeat(200_000), '€'.repeat(30_000), 'é'.repeat(300_000)]) {
      writer.text(text);
      expect(writer.flush().toString('utf8') === text, `${text[0] ?? ''} ${text.length}`).to.equal(true);
    }
  });
});
