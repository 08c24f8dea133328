import { expect } from 'chai';
import fc from 'fast-check';
import { lastHourOf } from '../../../../services/console/pages/flags/feature/usage/last-hour.ts';
import {
  formatMinute,
  intervalOf,
  mayShowMinutes,
  rangeOf,
} from '../../../../services/console/state/time/range.ts';
import { splitUsage } from '../../../../services/console/state/usage.ts';
import { WINDOWS } from '../../../../services/console/state/time/window.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const NOW = Date.parse('2026-11-22T10:30:00.000Z');

describe('the range of the URL', () => {
  it('has at most about 100 buckets, and hours only up to a week', () => {
    const lengths = { minute: 60_000, hour: HOUR_MS, day: DAY_MS, week: 7 * DAY_MS, month: 30 * DAY_MS };
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 3000 }), (days) => {
        const interval = intervalOf({ lengthMs: days * DAY_MS, beganMs: days * DAY_MS });
        const buckets = (days * DAY_MS) / lengths[interval];
        expect(buckets).to.be.at.most(interval === 'hour' ? 168 : 110);
      }),
    );
  });

  it('reaches as far back as the window says, with the current bucket', () => {
    const found = WINDOWS.map(({ id }) => rangeOf({ window: id }, NOW));
    expect(found.map(({ interval, title }) => `${title} by ${interval}`)).to.deep.equal([
      '1 h by minute',
      '24 h by hour',
      '7 d by hour',
      '30 d by day',
      '90 d by day',
      '25 months by week',
    ]);
    expect(found.map(({ from }) => (NOW - from) / HOUR_MS)).to.deep.equal([
      59 / 60,
      23,
      167,
      29 * 24,
      89 * 24,
      759 * 24,
    ]);
  });

  it('has minutes if it is short and not long ago, or of a day if somebody asks for them', () => {
    const of = (hoursAgo: number, hours: number, by = '') => {
      const from = NOW - hoursAgo * HOUR_MS;
      const query = { from: formatMinute(from), to: formatMinute(from + hours * HOUR_MS), by };
      return [rangeOf(query, NOW).interval, mayShowMinutes(query, NOW)];
    };
    expect(of(47, 3)).to.deep.equal(['minute', false]);
    expect(of(47, 4)).to.deep.equal(['hour', true]);
    expect(of(47, 4, 'minute')).to.deep.equal(['minute', true]);
    expect(of(48, 24, 'minute')).to.deep.equal(['minute', true]);
    expect(of(48, 25, 'minute')).to.deep.equal(['hour', false]);
    expect(of(49, 1, 'minute')).to.deep.equal(['hour', false]);
    expect(rangeOf({ window: '24h', by: 'minute' }, NOW)).to.include({ interval: 'minute' });
    expect(rangeOf({ window: '7d', by: 'minute' }, NOW)).to.include({ interval: 'hour' });
  });

  it('is that of two times, if both are there in this order', () => {
    const [from, to] = [formatMinute(NOW - 5 * HOUR_MS), formatMinute(NOW)];
    expect(from).to.equal('2026-11-22T05:30Z');
    expect(rangeOf({ from, to, window: '7d' }, NOW)).to.include({ from: NOW - 5 * HOUR_MS, to: NOW });
    for (const query of [{ from: to, to: from }, { from }, { from: 'now', to: 'then' }])
      expect(rangeOf(query, NOW)).to.include({ title: '24 h', to: undefined });
  });
});

describe('an answer with two windows', () => {
  const starts = Array.from({ length: 8 }, (_, hour) => NOW + (hour - 8) * HOUR_MS);
  const answer = {
    interval: 'hour' as const,
    timezone: 'UTC',
    starts: starts.map((start) => new Date(start).toISOString()),
    to: new Date(NOW).toISOString(),
    knownFrom: new Date(starts[2] ?? 0).toISOString(),
    completeUntil: new Date(NOW - HOUR_MS).toISOString(),
    series: [
      {
        group: null,
        yes: [null, null, 1, 2, 3, 4, 5, 6],
        no: [null, null, 0, 0, 0, 0, 0, 9],
        unknown: [null, null, 0, 0, 0, 0, 7, 0],
      },
    ],
  };

  it('is divided at the bucket that contains the beginning', () => {
    const { starts: shown, series, previous } = splitUsage(answer, NOW - 2.5 * HOUR_MS);
    expect(shown).to.deep.equal(starts.slice(5));
    expect(series).to.deep.equal([
      { group: null, yes: [4, 5, 6], no: [0, 0, 9], unknown: [0, 7, 0], served: [] },
    ]);
    expect(previous).to.deep.equal([
      { group: null, yes: [1, 2, 3], no: [0, 0, 0], unknown: [0, 0, 0], served: [] },
    ]);
  });

  it('has no window before that is not stored completely', () => {
    expect(splitUsage(answer, NOW - 3.5 * HOUR_MS).previous).to.equal(undefined);
    expect(splitUsage({ ...answer, knownFrom: null }, NOW - 1.5 * HOUR_MS).previous).to.equal(undefined);
    expect(splitUsage(answer, NOW - 7.5 * HOUR_MS).previous).to.equal(undefined);
  });

  it('names the zone of days, which hours do not have', () => {
    const zoneOf = (interval: 'hour' | 'day', timezone: string) =>
      splitUsage({ ...answer, interval, timezone }, NOW).zone;
    expect([zoneOf('hour', 'UTC'), zoneOf('day', 'UTC'), zoneOf('day', 'Europe/Berlin')]).to.deep.equal([
      undefined,
      'UTC',
      'local',
    ]);
  });
});

describe('the last complete hour', () => {
  const usage = {
    interval: 'hour' as const,
    zone: undefined,
    previous: undefined,
    completeUntil: NOW,
    starts: [NOW - 2 * HOUR_MS, NOW - HOUR_MS, NOW],
    end: NOW + HOUR_MS,
    series: [{ group: 'production', yes: [1, 2, 9], no: [10, 20, 90], unknown: [0, 5, 0], served: [] }],
  };

  it('has the evaluations of a group, and none of a group without evaluations', () => {
    expect(lastHourOf(usage, 'production')).to.equal(27);
    expect(lastHourOf(usage, 'development')).to.equal(0);
    expect(lastHourOf({ ...usage, completeUntil: NOW - HOUR_MS }, 'production')).to.equal(11);
  });

  it('is unknown where the window shows days, ends before now, or has no count', () => {
    const [series] = usage.series;
    for (const other of [
      { ...usage, interval: 'day' as const },
      { ...usage, end: NOW },
      { ...usage, completeUntil: NOW - 2 * HOUR_MS },
      {
        ...usage,
        series: [{ ...series, group: 'production', yes: [1, null, 9], no: [], unknown: [], served: [] }],
      },
    ])
      expect(lastHourOf(other, 'production')).to.equal(undefined);
  });
});
