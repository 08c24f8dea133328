import { expect } from 'chai';
import { isoDay, parseDay, startOfDayMs } from '#base/schema';

describe('days', () => {
  it('are read from ISO dates and written back', () => {
    expect(parseDay('1970-01-02')).to.equal(1);
    for (const text of ['2026-11-21', '2024-02-29', '1999-12-31']) {
      expect(isoDay(parseDay(text) ?? -1)).to.equal(text);
    }
  });

  it('start at midnight in UTC', () => {
    expect(startOfDayMs(parseDay('2026-11-21') ?? 0)).to.equal(Date.UTC(2026, 10, 21));
  });

  it('reject other texts', () => {
    for (const text of ['', '2026-02-30', '2025-02-29', '2026-13-01', '2026-1-1', '2026-11-21T00:00', 'x']) {
      expect(parseDay(text)).to.equal(undefined);
    }
  });
});
