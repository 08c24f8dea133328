import { setImmediate as nextTick } from 'node:timers/promises';
import { expect } from 'chai';
import { inBackground } from '#base/runtime';
import { passTimeByTurns } from '../../../../support/clock/by-turns.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  LOST,
  PROBE,
  REJECTED,
  STORED,
  aSender,
  stopSenders,
  submitApart,
} from '../../../../support/builders/partition-sender.ts';

describe('PartitionSender with its circuit breaker', () => {
  passTimeByTurns();
  afterEach(stopSenders);

  it('gives up with "not stored" if rejections continue, after a few tries', async () => {
    const { sender, sends } = aSender([REJECTED]);
    expect(await sender.submit('a')).to.equal('not-stored');
    expect(sends).to.have.length.below(20);
  });

  it('gives up when the circuit breaker opens, long before a message expires', async () => {
    const { sender } = aSender([REJECTED], { expiryMs: 60_000 });
    expect(await sender.submit('a')).to.equal('not-stored');
  });

  it('keeps a message of unknown outcome when the circuit breaker opens, but not those behind it', async () => {
    let triesWhileOpen = 0;
    const { sender, sends } = aSender(
      () => {
        if (sends.length === 1) return LOST;
        if (sender.isOpen) triesWhileOpen += 1;
        return triesWhileOpen < 3 ? REJECTED : STORED;
      },
      { expiryMs: 60_000 },
    );
    expect(await submitApart(sender, sends)).to.deep.equal(['stored', 'not-stored']);
  });

  it('rejects at once after it has given up', async () => {
    const { sender, sends } = aSender([REJECTED]);
    await sender.submit('a');
    const tried = sends.length;
    expect(sender.isOpen).to.equal(true);
    expect(await sender.submit('b')).to.equal('not-stored');
    expect(sends.length).to.equal(tried);
  });

  it('keeps messages that may wait while it is open, and stores them when the broker recovers', async () => {
    const { sender, sends, repair } = aSender([REJECTED], { expiryMs: 60_000 });
    await sender.submit('a');
    const waiting = sender.submit('b', { longestWaitMs: 60_000 });
    expect(await sender.submit('c')).to.equal('not-stored');
    await eventually(
      () => Promise.resolve(sends.filter(([value]) => value === 'b')),
      ({ length }) => length > 1,
    );
    expect(sender.isOpen).to.equal(true);
    repair();
    expect(await waiting).to.equal('stored');
  });

  it('keeps them when it opens, but not for longer than they may wait', async () => {
    const { sender, sends } = aSender([REJECTED]);
    const since = Date.now();
    const waiting = sender.submit('a', { since, longestWaitMs: 300 });
    expect(await sender.submit('b')).to.equal('not-stored');
    expect(await waiting).to.equal('not-stored');
    expect(Date.now() - since).to.be.at.least(300);
    expect(sends.at(-1)).to.deep.equal(['a']);
  });

  it('keeps a bounded number of them', async () => {
    const { sender } = aSender([REJECTED]);
    await sender.submit('a');
    const kept: string[] = [];
    const submit = (value: string): Promise<unknown> =>
      sender.submit(value, { longestWaitMs: 60_000 }).then((outcome) => kept.push(outcome));
    for (let number = 0; number < 201; number += 1) inBackground(submit(String(number)));
    await nextTick();
    expect(kept).to.deep.equal(['not-stored']);
    inBackground(submit('.'.repeat(256 * 1024)));
    await nextTick();
    expect(kept).to.deep.equal(['not-stored', 'not-stored']);
  });

  it('keeps no more of those that came before it opened', async () => {
    const { sender, hold } = aSender([REJECTED]);
    const goOn = hold();
    const outcomes = Array.from({ length: 300 }, (_, number) =>
      sender.submit(String(number), { longestWaitMs: 60_000 }),
    );
    await nextTick();
    expect(sender.isOpen).to.equal(false);
    goOn();
    expect(await Promise.all(outcomes.slice(200))).to.deep.equal(Array(100).fill('not-stored'));
    expect(sender.bytes).to.equal(
      outcomes
        .slice(0, 200)
        .map((_, number) => String(number))
        .join('').length,
    );
  });

  it('continues with single probes, and accepts messages again when one is stored', async () => {
    const { sender, sends, repair } = aSender([REJECTED]);
    await sender.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (count) => count > 8,
    );
    repair();
    await eventually(
      () => Promise.resolve(sender.isOpen),
      (isOpen) => !isOpen,
    );
    expect(await sender.submit('b')).to.equal('stored');
    const probes = sends.slice(
      sends.findIndex(([value]) => value === PROBE),
      -1,
    );
    expect(probes).to.deep.equal(probes.map(() => [PROBE]));
    expect(sends.at(-1)).to.deep.equal(['b']);
  });

  it('sends no more probes after it was stopped', async () => {
    const { sender, sends } = aSender([REJECTED]);
    await sender.submit('a');
    await eventually(
      () => Promise.resolve(sends.at(-1)),
      (last) => last?.[0] === PROBE,
    );
    sender.stop();
    const sent = sends.length;
    for (let turn = 0; turn < 5; turn += 1) await nextTick();
    expect(sends).to.have.length(sent);
  });

  it('reports once that the breaker has opened, with the reason, and once that it has closed', async () => {
    const { sender, sends, breaker, repair } = aSender([REJECTED]);
    await sender.submit('a');
    const tried = sends.length;
    await eventually(
      () => Promise.resolve(sends.length),
      (count) => count > tried + 2,
    );
    expect(breaker).to.deep.equal([['opened', 'NOT_ENOUGH_REPLICAS']]);
    repair();
    await eventually(
      () => Promise.resolve(breaker.length),
      (count) => count > 1,
    );
    expect(breaker).to.deep.equal([
      ['opened', 'NOT_ENOUGH_REPLICAS'],
      ['closed', ''],
    ]);
  });

  it('does not reject while outcomes are unknown, however long', async () => {
    const { sender, sends } = aSender([LOST]);
    expect(await sender.submit('a')).to.equal('unknown');
    await eventually(
      () => Promise.resolve(sends),
      (all) => all.some(([value]) => value === PROBE),
    );
    expect(sender.isOpen).to.equal(false);
  });

  it('accepts messages again as soon as an unknown outcome follows a rejection', async () => {
    const { sender, sends } = aSender([...Array.from({ length: 7 }, () => REJECTED), LOST, STORED]);
    await sender.submit('a');
    await eventually(
      () => Promise.resolve(sends.length),
      (count) => count >= 8,
    );
    expect(await sender.submit('b')).to.equal('stored');
  });
});
