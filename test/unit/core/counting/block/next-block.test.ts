import { expect } from 'chai';
import fc from 'fast-check';
import { type Fetched, type LogMessage, nextBlockEnd } from '#core/counting';

const LIMITS = { maxMessages: 3, maxBytes: 100 };

describe('nextBlockEnd', () => {
  it('waits while nothing is fetched', () => {
    expect(nextBlockEnd(fetched(5, 5, []), undefined, LIMITS)).to.equal(undefined);
  });

  it('includes all fetched messages within the limits', () => {
    expect(nextBlockEnd(fetched(5, 7, [5, 6]), undefined, LIMITS)).to.equal(7n);
  });

  it('ends at the end of the fetch, past offsets without messages', () => {
    expect(nextBlockEnd(fetched(5, 9, [5, 6]), undefined, LIMITS)).to.equal(9n);
  });

  it('passes a range without any message', () => {
    expect(nextBlockEnd(fetched(5, 9, []), undefined, LIMITS)).to.equal(9n);
  });

  it('includes exactly as many messages as the limit allows', () => {
    expect(nextBlockEnd(fetched(5, 8, [5, 6, 7]), undefined, LIMITS)).to.equal(8n);
  });

  it('ends before the message that exceeds the limit of messages', () => {
    expect(nextBlockEnd(fetched(5, 20, [5, 6, 7, 12, 13]), undefined, LIMITS)).to.equal(12n);
  });

  it('includes exactly as many bytes as the limit allows', () => {
    expect(nextBlockEnd(fetched(5, 7, [5, 6], 50), undefined, LIMITS)).to.equal(7n);
  });

  it('ends before the message that exceeds the limit of bytes', () => {
    expect(nextBlockEnd(fetched(5, 7, [5, 6], 51), undefined, LIMITS)).to.equal(6n);
  });

  it('includes a first message that exceeds the limit alone', () => {
    expect(nextBlockEnd(fetched(5, 7, [5, 6], 1000), undefined, LIMITS)).to.equal(6n);
  });

  it('ends exactly at the intent, even if more was fetched', () => {
    expect(nextBlockEnd(fetched(5, 20, [5, 6, 7, 8]), { to: 6n, at: 0 }, LIMITS)).to.equal(6n);
  });

  it('ends exactly at the intent, even beyond the limits', () => {
    const all = fetched(5, 20, [5, 6, 7, 8, 9, 10, 11], 1000);
    expect(nextBlockEnd(all, { to: 11n, at: 0 }, LIMITS)).to.equal(11n);
  });

  it('completes an intended block as soon as its last message is fetched', () => {
    const intent = { to: 8n, at: 0 };
    expect(nextBlockEnd(fetched(5, 8, [5, 6, 7]), intent, LIMITS)).to.equal(8n);
  });

  it('waits for all messages of the intent', () => {
    expect(nextBlockEnd(fetched(5, 10, [5, 6, 7]), { to: 11n, at: 0 }, LIMITS)).to.equal(undefined);
  });

  it('always advances, never past the fetch, and within the limits', () => {
    const sizes = fc.array(fc.nat(120), { minLength: 1, maxLength: 10 });
    fc.assert(
      fc.property(sizes, (bytes) => {
        const messages = bytes.map((size, index) => message(5 + 2 * index, size));
        const to = Number(nextBlockEnd({ from: 5n, position: 50n, messages }, undefined, LIMITS));
        const chosen = messages.filter(({ offset }) => offset < to);
        expect(to).to.be.within(6, 50);
        expect(chosen).to.have.length.within(1, 3);
        expect(chosen.slice(1).reduce((sum, { value }) => sum + (value?.byteLength ?? 0), 0)).to.be.at.most(
          100,
        );
      }),
    );
  });
});

function fetched(
  from: number,
  position: number,
  ...[offsets, sizeBytes = 1]: [readonly number[], number?]
): Fetched {
  return {
    from: BigInt(from),
    position: BigInt(position),
    messages: offsets.map((at) => message(at, sizeBytes)),
  };
}

function message(offset: number, sizeBytes: number): LogMessage {
  return { offset: BigInt(offset), value: new Uint8Array(sizeBytes), appendedAt: 0 };
}
