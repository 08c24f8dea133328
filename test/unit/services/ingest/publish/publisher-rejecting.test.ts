import { expect } from 'chai';
import { type Sender, keyOfSender } from '#core/counting';
import type { SendOutcome } from '#core/kafka';
import { type Publisher, createPublisher } from '../../../../../services/ingest/publish/publisher.ts';
import { LOST, REJECTED, STORED } from '../../../../support/builders/partition-sender.ts';
import { passTimeByTurns } from '../../../../support/clock/by-turns.ts';
import { eventually } from '../../../../support/eventually.ts';

const SENDER: Sender = { name: 'sender', kind: 'key' };

describe('a publisher whose broker rejects', () => {
  passTimeByTurns();
  let publisher: Publisher;

  afterEach(() => {
    publisher.stop();
  });

  it('rejects requests before they are read', async () => {
    publisher = aPublisher([REJECTED]);
    expect(await publish('a')).to.equal('not-stored');

    expect([SENDER, undefined].map((sender) => publisher.isRejecting(sender))).to.deep.equal([true, true]);
  });

  it('rejects them also while counts of others wait', async () => {
    publisher = aPublisher([REJECTED]);
    await publish('a');
    const waiting = publish('b', 60_000);
    expect(publisher.isRejecting({ ...SENDER, name: 'other' })).to.equal(true);
    expect([publisher.isRejecting(SENDER), publisher.isRejecting(undefined)]).to.deep.equal([false, false]);
    const stoppedAt = Date.now();
    publisher.stop();
    expect(await waiting).to.equal('not-stored');
    expect(Date.now() - stoppedAt).to.be.lessThan(1000); // it does not wait its minute
  });

  it('lets requests be read while one of unknown outcome may be repeated; a repeat shares its outcome', async () => {
    publisher = aPublisher([LOST, REJECTED]);
    const first = publish('a');
    await eventually(
      () => Promise.resolve(publisher.openPartitions().reduce((sum, { partitions }) => sum + partitions, 0)),
      (open) => open > 0,
    );

    expect(publisher.isRejecting(SENDER)).to.equal(false);
    expect(await publish('b')).to.equal('not-stored');
    expect(await Promise.all([first, publish('a')])).to.deep.equal(['unknown', 'unknown']);
  });

  it('reports the repetition of a stored batch as stored, because its relay did not get the answer', async () => {
    publisher = aPublisher([STORED, REJECTED]);
    expect(publisher.mayRepeat(SENDER)).to.equal(false);
    const first = publish('a');
    expect(publisher.mayRepeat(SENDER)).to.equal(true);
    expect(await first).to.equal('stored');
    const senders = [SENDER, { ...SENDER, name: 'other' }, undefined];
    expect(senders.map((sender) => publisher.mayRepeat(sender))).to.deep.equal([true, false, false]);
    expect(await publish('b')).to.equal('not-stored');

    expect(publisher.isRejecting(SENDER)).to.equal(false);
    expect(await publish('a')).to.equal('stored');
  });

  /** Ends each send with the given outcome, and all further ones with the last outcome. */
  function aPublisher(outcomes: readonly SendOutcome[]): Publisher {
    let sends = 0;
    return createPublisher({
      producer: {
        send: () => {
          sends += 1;
          return Promise.resolve(outcomes[Math.min(sends, outcomes.length) - 1] ?? REJECTED);
        },
      },
      counts: { topic: 'counts', partitions: 1 },
      applications: { topic: 'applications', partitions: 1 },
      rideOutMs: 50,
      expiryMs: 1000,
      repeatedMs: 45_000,
      onSend: () => undefined,
      onBreaker: () => undefined,
    });
  }

  function publish(batchId: string, longestWaitMs = 0): Promise<string> {
    const counts = Buffer.from(batchId);
    const sender = keyOfSender(SENDER.name);
    return publisher.publish({ batchId, sender, applications: undefined, counts, longestWaitMs });
  }
});
