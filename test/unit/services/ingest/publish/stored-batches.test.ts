import { expect } from 'chai';
import fc from 'fast-check';
import { batchIdOf } from '#core/counting';
import { bytesOf } from '../../../../support/builders/builders.ts';
import { MAX_REMEMBERED, StoredBatches } from '../../../../../services/ingest/publish/stored-batches.ts';

const MAX_AGE_MS = 10;
const TOKENS = ['one', 'other'];
const SENDERS = ['relay', 'edge'];

/** A batch: number `body` of this sender, which uses this token. */
const aBatch = fc.record({
  token: fc.constantFrom(...TOKENS),
  sender: fc.constantFrom(...SENDERS),
  body: fc.nat(3),
});

function idOf({ token, sender, body }: { token: string; sender: string; body: number }): string {
  return batchIdOf(token, sender, bytesOf(String(body)));
}

describe('stored batches', () => {
  const realNow = Date.now;
  let now = 0;

  beforeEach(() => {
    Date.now = () => now;
  });

  afterEach(() => {
    Date.now = realNow;
  });

  it('are remembered for their time after they were last stored, and so are their senders', () => {
    const step = fc.record({ batch: aBatch, waitMs: fc.nat(MAX_AGE_MS) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
        const stored = new StoredBatches(MAX_AGE_MS);
        const storedAt = new Map<string, number>();
        const isRecent = (key: string) => (storedAt.get(key) ?? -Infinity) + MAX_AGE_MS > now;
        for (const { batch, waitMs } of steps) {
          stored.add({ batchId: idOf(batch), sender: batch.sender });
          for (const key of [idOf(batch), batch.sender]) storedAt.set(key, now);
          now += waitMs;
          for (const each of steps) expect(stored.has(idOf(each.batch))).to.equal(isRecent(idOf(each.batch)));
          for (const sender of SENDERS) expect(stored.hasSender(sender)).to.equal(isRecent(sender));
        }
      }),
    );
  });

  it('that are too old leave their places to others', () => {
    const stored = new StoredBatches(MAX_AGE_MS);
    const add = (token: string, count: number): string[] =>
      Array.from({ length: count }, (_, body) => {
        const batchId = idOf({ token, sender: 'relay', body });
        stored.add({ batchId, sender: `${token} ${body}` });
        return batchId;
      });
    add('other', MAX_REMEMBERED / 2);
    now += MAX_AGE_MS;
    const ofOne = add('one', MAX_REMEMBERED);
    expect(ofOne.every((batchId) => stored.has(batchId))).to.equal(true);
    expect(stored.hasSender('one 0')).to.equal(true);
    expect(stored.hasSender('other 0')).to.equal(false);
    const [oldest = '', next = ''] = ofOne;
    add('another', 1);
    expect([stored.has(oldest), stored.has(next)]).to.deep.equal([false, true]);
    expect(stored.hasSender('one 0')).to.equal(false);
  });
});
