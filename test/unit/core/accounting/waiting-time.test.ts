import { expect } from 'chai';
import { createWaitingTime } from '../../../../packages/core/accounting/waiting-time.ts';

const logOf = (...highs: number[]) =>
  new Map(highs.map((high, partition) => [partition, { low: 0n, high: BigInt(high) }]));
const endsOf = (...ends: number[]) => new Map(ends.map((end, partition) => [partition, BigInt(end)]));

describe('the waiting time of the oldest message without a block', () => {
  it('is 0 while every message has a block', () => {
    const waiting = createWaitingTime();
    expect(waiting.observe(logOf(5), endsOf(5), 1000)).to.equal(0);
    expect(waiting.observe(logOf(9), endsOf(9), 5000)).to.equal(0);
  });

  it('counts from the first reading that saw the message', () => {
    const waiting = createWaitingTime();
    expect(waiting.observe(logOf(5), endsOf(4), 1000)).to.equal(0);
    expect(waiting.observe(logOf(8), endsOf(4), 3000)).to.equal(2000);
    expect(waiting.observe(logOf(8), endsOf(4), 9000)).to.equal(8000);
  });

  it('goes on with the next message when the oldest got its block', () => {
    const waiting = createWaitingTime();
    waiting.observe(logOf(5), endsOf(4), 1000);
    waiting.observe(logOf(8), endsOf(4), 3000);
    expect(waiting.observe(logOf(8), endsOf(5), 4000)).to.equal(1000);
    expect(waiting.observe(logOf(8), endsOf(8), 6000)).to.equal(0);
  });

  it('is that of the partition whose oldest message has waited longest', () => {
    const waiting = createWaitingTime();
    waiting.observe(logOf(1, 0), endsOf(0, 0), 1000);
    expect(waiting.observe(logOf(2, 7), endsOf(0, 0), 4000)).to.equal(3000);
    expect(waiting.observe(logOf(2, 7), endsOf(2, 0), 6000)).to.equal(2000);
  });

  it('counts a partition without a block from the first offset that Kafka still has', () => {
    const waiting = createWaitingTime();
    const log = new Map([[0, { low: 3n, high: 3n }]]);
    expect(waiting.observe(log, new Map(), 1000)).to.equal(0);
    waiting.observe(new Map([[0, { low: 3n, high: 4n }]]), new Map(), 2000);
    expect(waiting.observe(new Map([[0, { low: 3n, high: 4n }]]), new Map(), 7000)).to.equal(5000);
  });

  it('stays exact for the oldest message however long the others keep coming', () => {
    const waiting = createWaitingTime();
    for (let reading = 0; reading < 10_000; reading += 1)
      expect(waiting.observe(logOf(reading + 1), endsOf(0), 2000 * reading)).to.equal(2000 * reading);
  });
});
