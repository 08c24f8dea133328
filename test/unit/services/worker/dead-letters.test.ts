import { expect } from 'chai';
import type { DeadLetter } from '#core/counting';
import { createLog } from '#base/runtime';
import { createDeadLetters } from '../../../../services/worker/dead-letter-topic.ts';

const KIB = 1024;

describe('keeping dead letters', () => {
  it('sends at most as many bytes together as a topic accepts, and each letter once, in their order', async () => {
    const sizes = [10, 100, 100, 60, 300, 1, 255, 2].map((kib) => kib * KIB);
    expect(await sendsOf(sizes)).to.deep.equal([
      [10, 100, 100].map((kib) => kib * KIB),
      [60 * KIB],
      [300 * KIB],
      [1, 255].map((kib) => kib * KIB),
      [2 * KIB],
    ]);
  });

  it('sends 200 small ones together', async () => {
    const sends = await sendsOf(Array.from({ length: 450 }, () => 1));
    expect(sends.map((values) => values.length)).to.deep.equal([200, 200, 50]);
  });

  it('sends a message without a value too', async () => {
    expect(await sendsOf([1, undefined, 2])).to.deep.equal([[1, 0, 2]]);
  });

  for (const outcome of ['unknown', 'not-stored'] as const)
    it(`rejects if the outcome of a send is ${outcome}, so that no block is stored without its letters`, async () => {
      const failure = await sendsOf([1], outcome).catch(String);

      expect(failure).to.equal('Error: dead letters not stored: no reason');
    });

  it('sends nothing when there are none', async () => {
    expect(await sendsOf([])).to.deep.equal([]);
  });
});

/** The lengths of the messages of each send. A message without a size has no value. */
async function sendsOf(
  sizes: readonly (number | undefined)[],
  outcome: 'stored' | 'unknown' | 'not-stored' = 'stored',
): Promise<number[][]> {
  const sends: number[][] = [];
  const producer = {
    send: (_topic: string, _partition: number, messages: readonly { readonly value: unknown }[]) => {
      sends.push(messages.map(({ value }) => (value instanceof Uint8Array ? value.length : 0)));
      return Promise.resolve(outcome === 'stored' ? { outcome } : { outcome, reason: 'no reason' });
    },
  };
  const letters = sizes.map((size, index): DeadLetter => ({
    offset: BigInt(index),
    value: size === undefined ? null : new Uint8Array(size),
    problem: 'not JSON',
    appendedAt: 0,
  }));
  await createDeadLetters({ producer, deadLetterTopic: 'dead', log: createLog('test', 'fatal') }).keep(
    { topic: 'counts', epoch: 1, partition: 0 },
    letters,
  );
  return sends;
}
