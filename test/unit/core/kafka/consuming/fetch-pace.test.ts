import { expect } from 'chai';
import { FetchPace } from '../../../../../packages/core/kafka/consuming/fetch-pace.ts';

const KIB = 1024;
const MIB = 1024 * KIB;
const WAIT_MS = 1000;

describe('the pace of fetches', () => {
  it('begins with a MiB, and doubles with each fetch that takes its wait and a second at most', () => {
    const pace = aPace();
    const sizes = [0, 900, 2000, 2000].map((ms) => {
      pace.note(ms);
      return pace.bytes / MIB;
    });
    expect(sizes).to.deep.equal([2, 4, 8, 10]);
  });

  it('asks for what Kafka delivers in that time', () => {
    const pace = aPace();
    pace.note(10_000);
    expect(pace.bytes).to.equal(Math.round((MIB * 2) / 10));
    pace.note(4000);
    expect(pace.bytes).to.equal(Math.round((MIB * 2) / 10 / 2));
  });

  it('never asks for less than 64 KiB, and never for more than it may', () => {
    const pace = aPace();
    for (let fetch = 0; fetch < 10; fetch += 1) pace.note(600_000);
    expect(pace.bytes).to.equal(64 * KIB);
    for (let fetch = 0; fetch < 10; fetch += 1) pace.note(10);
    expect(pace.bytes).to.equal(10 * MIB);
    expect(new FetchPace({ mostBytes: 1000, waitMs: WAIT_MS }).bytes).to.equal(1000);
  });

  it('settles near a rate, whatever that is', () => {
    for (const bytesPerSecond of [100_000, 500_000, 3_000_000]) {
      const pace = aPace();
      const times = Array.from({ length: 50 }, () => {
        const ms = (pace.bytes / bytesPerSecond) * 1000;
        pace.note(ms);
        return ms;
      }).slice(5);
      expect(Math.max(...times)).to.be.lessThan(2 * (WAIT_MS + 1000) + 1);
    }
  });
});

function aPace(): FetchPace {
  return new FetchPace({ mostBytes: 10 * MIB, waitMs: WAIT_MS });
}
