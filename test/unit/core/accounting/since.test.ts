import { expect } from 'chai';
import { parseSince } from '#core/accounting';

const NOW = Date.UTC(2026, 10, 21, 10, 15);
const HOUR = 3_600_000;

const TIMES: readonly (readonly [text: string, since: number])[] = [
  ['90m', NOW - 1.5 * HOUR],
  ['24h', NOW - 24 * HOUR],
  ['7d', NOW - 7 * 24 * HOUR],
  ['0h', NOW],
  ['2026-11-20', Date.UTC(2026, 10, 20)],
  ['2026-11-20T06:30:00Z', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20 06:30:00', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20T06:30', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20 06:30', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20T06:30Z', Date.UTC(2026, 10, 20, 6, 30)],
  ['2026-11-20T06:30+02:00', Date.UTC(2026, 10, 20, 4, 30)],
  ['2026-11-20T06:30:00+02:00', Date.UTC(2026, 10, 20, 4, 30)],
];

const NO_TIMES = [
  '',
  '7',
  'd',
  '7w',
  '-7d',
  '1.5h',
  '2026-02-30',
  '2026-11-22',
  '2026-11-20T06',
  '2026-11-20T06:60',
  '2026-11-21T10:16',
  '99999d',
  'yesterday',
  '7d ',
];

describe('parseSince', () => {
  for (const [text, since] of TIMES) {
    it(`accepts ${text}`, () => {
      expect(parseSince(text, NOW)).to.equal(since);
    });
  }

  for (const text of NO_TIMES) {
    it(`rejects "${text}"`, () => {
      expect(parseSince(text, NOW)).to.equal(undefined);
    });
  }
});
