import { expect } from 'chai';
import { batchIdOf } from '#core/counting';
import { bytesOf } from '../../../../support/builders/builders.ts';
import type { PublishOutcome } from '../../../../../services/ingest/publish/pending.ts';
import { createRepetitions } from '../../../../../services/ingest/publish/repetitions.ts';

/** Repetitions whose tries have these outcomes, one after the other. */
function repetitionsWith(...outcomes: PublishOutcome[]) {
  const left = outcomes.values(); // to shift a long array takes as long as to copy it
  const store = (): Promise<PublishOutcome> => Promise.resolve(left.next().value ?? 'unknown');
  return createRepetitions({ repeatedMs: 60_000, store });
}

describe('repetitions', () => {
  const batch = { batchId: 'batch', sender: 'relay' };
  const senders = ['relay', 'other', undefined];

  it('expect a batch in flight again from its own sender only', async () => {
    const repetitions = repetitionsWith('unknown');
    const outcome = repetitions.publish(batch);
    expect(senders.map((sender) => repetitions.mayRepeat(sender))).to.deep.equal([true, false, false]);
    await outcome;
    expect(repetitions.mayRepeat('relay')).to.equal(false);
  });

  it('expect a stored batch again from its own sender only', async () => {
    const repetitions = repetitionsWith('stored');
    await repetitions.publish(batch);
    expect(senders.map((sender) => repetitions.mayRepeat(sender))).to.deep.equal([true, false, false]);
  });

  it('stay stored if Kafka rejects a later try', async () => {
    const repetitions = repetitionsWith('stored', 'not-stored', 'not-stored');
    await repetitions.publish(batch);
    expect(await repetitions.publish(batch)).to.equal('stored');
    expect(await repetitions.publish({ ...batch, batchId: 'next' })).to.equal('not-stored');
  });

  it('of a sender without a name are not expected', async () => {
    const repetitions = repetitionsWith('stored');
    const outcome = repetitions.publish({ batchId: 'batch', sender: undefined });
    expect(repetitions.mayRepeat(undefined)).to.equal(false);
    await outcome;
    expect(repetitions.mayRepeat(undefined)).to.equal(false);
  });

  it('of a token are recognised, however many batches another token sends', async () => {
    const repetitions = repetitionsWith('stored', ...Array.from({ length: 60_000 }, () => 'stored' as const));
    const first = { batchId: batchIdOf('honest', 'relay', bytesOf('{}')), sender: 'relay' };
    await repetitions.publish(first);
    for (let count = 0; count < 60_000; count += 1) {
      const sender = `loud ${count}`;
      await repetitions.publish({ batchId: batchIdOf('loud', sender, bytesOf('{}')), sender });
    }
    expect(repetitions.mayRepeat('relay')).to.equal(true);
    expect(repetitions.mayRepeat('loud 59999')).to.equal(true);
    expect(repetitions.mayRepeat('loud 0')).to.equal(false);
    expect(await repetitions.publish(first)).to.equal('stored');
  });

  it('are recognised while their sender has a remembered batch', async () => {
    const repetitions = repetitionsWith('stored', 'stored', 'stored');
    await repetitions.publish(batch);
    await repetitions.publish(batch);
    await repetitions.publish({ ...batch, batchId: 'next' });
    expect(repetitions.mayRepeat('relay')).to.equal(true);
  });
});
