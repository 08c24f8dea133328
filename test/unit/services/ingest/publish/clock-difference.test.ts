import { expect } from 'chai';
import type { SendOutcome } from '#core/kafka';
import {
  clockAheadMs,
  withClockDifference,
} from '../../../../../services/ingest/publish/clock-difference.ts';

describe('the difference between our clock and the broker’s', () => {
  const DIFFERENCES: readonly (readonly [appendedAt: number, aheadMs: number])[] = [
    [1000, 0],
    [1005, 0],
    [1010, 0],
    [400, 600],
    [1511, -501],
  ];
  for (const [appendedAt, aheadMs] of DIFFERENCES)
    it(`is ${aheadMs} ms if a message sent at 1000 and answered at 1010 was appended at ${appendedAt}`, () => {
      expect(clockAheadMs({ sentAt: 1000, appendedAt, answeredAt: 1010 })).to.equal(aheadMs);
    });

  it('is measured at stored sends whose time the broker sets', async () => {
    const measured: unknown[] = [];
    const outcomes: SendOutcome[] = [
      { outcome: 'unknown', reason: 'lost' },
      { outcome: 'stored' },
      { outcome: 'stored', appendedAt: 0 },
    ];
    for (const outcome of outcomes) {
      const { send } = withClockDifference({ send: () => Promise.resolve(outcome) }, (place, aheadMs) => {
        measured.push([place, aheadMs > 1_700_000_000_000]);
      });
      expect(await send('counts', 3, [])).to.equal(outcome);
    }
    expect(measured).to.deep.equal([[{ topic: 'counts', partition: 3 }, true]]);
  });
});
