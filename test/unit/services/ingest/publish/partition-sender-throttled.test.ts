import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import type { SendOutcome } from '#core/kafka';
import { passTimeByTurns } from '../../../../support/clock/by-turns.ts';
import {
  LOST,
  REJECTED,
  STORED,
  aSender,
  stopSenders,
  submitApart,
  untilSent,
} from '../../../../support/builders/partition-sender.ts';

/** A message of these tests waits for 100 ms at most. */
const SHORT = throttled(30);
const LONG = throttled(10_000);

describe('PartitionSender above a quota of Kafka', () => {
  passTimeByTurns();
  afterEach(stopSenders);

  it('waits as it was told, and sends the message once', async () => {
    const { sender, sends, reports } = aSender([SHORT, STORED]);
    const startedAt = Date.now();
    expect(await sender.submit('a')).to.equal('stored');
    expect(Date.now() - startedAt).to.be.greaterThan(29);
    expect(sends).to.deep.equal([['a'], ['a']]);
    expect(reports).to.deep.equal([['stored', '']]);
  });

  it('sends what arrives meanwhile together with what waits', async () => {
    const { sender, sends } = aSender([SHORT, STORED]);
    const first = sender.submit('a');
    await untilSent(sends);
    expect(await Promise.all([first, sender.submit('b')])).to.deep.equal(['stored', 'stored']);
    expect(sends).to.deep.equal([['a'], ['a', 'b']]);
  });

  it('sends a message whose outcome is unknown without those that arrive meanwhile', async () => {
    const { sender, sends } = aSender([LOST, SHORT, STORED]);
    expect(await submitApart(sender, sends)).to.deep.equal(['stored', 'stored']);
    expect(sends).to.deep.equal([['a'], ['a'], ['a'], ['b']]);
  });

  it('rejects at once what would wait too long, now and later', async () => {
    const { sender, sends, breaker } = aSender([LONG]);
    const startedAt = Date.now();
    expect(await sender.submit('a')).to.equal('not-stored');
    expect(sender.isRejecting).to.equal(true);
    expect(await sender.submit('b')).to.equal('not-stored');
    expect(Date.now() - startedAt).to.be.lessThan(90);
    expect(sends).to.deep.equal([['a']]);
    expect(sender.isOpen).to.equal(false);
    expect(breaker).to.deep.equal([]);
  });

  it('rejects what has waited elsewhere, as the counts for their applications', async () => {
    const { sender, sends } = aSender([throttled(80), STORED]);
    const first = sender.submit('a');
    await untilSent(sends);
    await nextTick();
    expect(await sender.submit('late', { since: Date.now() - 90 })).to.equal('not-stored');
    expect(await first).to.equal('stored');
  });

  it('rejects at once what has no room in the next send', async () => {
    const { sender, sends } = aSender([throttled(1000), STORED], { rideOutMs: 60_000, expiryMs: 60_000 });
    const first = sender.submit('.'.repeat(200 * 1024));
    await untilSent(sends);
    await nextTick();
    expect(await sender.submit('.'.repeat(57 * 1024))).to.equal('not-stored');
    expect(await sender.submit('.'.repeat(55 * 1024))).to.equal('stored');
    expect(await first).to.equal('stored');
  });

  it('never rejects a message whose outcome is unknown', async () => {
    const { sender, sends } = aSender([LOST, SHORT, STORED]);
    expect(await sender.submit('a')).to.equal('stored');
    expect(sends).to.deep.equal([['a'], ['a'], ['a']]);
    const { sender: other } = aSender([LOST, LONG], { expiryMs: 300 });
    expect(await other.submit('a')).to.equal('unknown');
  });

  it('is no rejection for the breaker', async () => {
    const { sender, breaker } = aSender([REJECTED, throttled(1), STORED]);
    expect(await sender.submit('a')).to.equal('stored');
    expect(breaker).to.deep.equal([]);
  });

  it('rejects what waits when it stops, because it was never written', async () => {
    const { sender, sends } = aSender([SHORT, STORED]);
    const first = sender.submit('a');
    await untilSent(sends);
    await nextTick();
    sender.stop();
    expect(await first).to.equal('not-stored');
    expect(sends).to.have.length(1);
  });
});

function throttled(waitMs: number): SendOutcome {
  return { outcome: 'throttled', reason: 'a quota is exceeded', waitMs };
}
