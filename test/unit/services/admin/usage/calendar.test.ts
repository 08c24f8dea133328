import { expect } from 'chai';
import { type Calendar, createCalendar } from '../../../../../services/admin/usage/totals/calendar.ts';

const HOUR_MS = 3_600_000;

/** Hours of each bucket between two times. */
function lengths(calendar: Calendar, from: string, to: string) {
  const { starts, end } = cover(calendar, from, to);
  return starts.map((start, index) => ((starts[index + 1] ?? end) - start) / HOUR_MS);
}

function cover(calendar: Calendar, from: string, to: string) {
  const buckets = calendar.cover(Date.parse(from), Date.parse(to), 100);
  if (buckets === undefined) throw new Error('too many buckets');
  return buckets;
}

const isoOf = (ms: number) => new Date(ms).toISOString().replace(':00.000Z', 'Z');

describe('buckets of time', () => {
  const DAYS = [
    { zone: 'UTC', from: '2025-10-25T01:00Z', to: '2025-10-27T00:00Z', hours: [24, 24] },
    // Clocks go back at 03:00, and forward at 02:00.
    { zone: 'Europe/Berlin', from: '2025-10-25T01:00Z', to: '2025-10-27T00:00Z', hours: [24, 25, 24] },
    { zone: 'Europe/Berlin', from: '2026-03-28T01:00Z', to: '2026-03-29T22:00Z', hours: [24, 23] },
    // Clocks go forward at 00:00: the day begins at 01:00.
    { zone: 'America/Sao_Paulo', from: '2018-11-03T12:00Z', to: '2018-11-05T12:00Z', hours: [24, 23, 24] },
    // Clocks go back from 24:00 to 23:00, and from 01:00 to 00:00.
    { zone: 'America/Sao_Paulo', from: '2018-02-17T12:00Z', to: '2018-02-18T12:00Z', hours: [25, 24] },
    { zone: 'America/Havana', from: '2025-11-02T04:00Z', to: '2025-11-03T06:00Z', hours: [25, 24] },
    // Half an hour of daylight saving time.
    { zone: 'Australia/Lord_Howe', from: '2025-10-04T14:00Z', to: '2025-10-06T00:00Z', hours: [23.5, 24] },
  ];
  for (const { zone, from, to, hours } of DAYS)
    it(`are local days of ${hours.join(', ')} hours in ${zone} from ${from}`, () => {
      expect(lengths(createCalendar('day', zone), from, to)).to.deep.equal(hours);
    });

  it('begin at local midnight, whatever the offset of the zone', () => {
    const zones = {
      'Asia/Kathmandu': '18:15Z',
      'America/New_York': '05:00Z',
      'Pacific/Kiritimati': '10:00Z',
    };
    for (const [zone, time] of Object.entries(zones)) {
      const { starts } = cover(createCalendar('day', zone), '2026-01-10T12:00Z', '2026-01-13T12:00Z');
      for (const start of starts) expect(isoOf(start), zone).to.match(new RegExp(`T${time}$`));
    }
  });

  it('are weeks from Monday, also over the end of a year', () => {
    const { starts, end } = cover(createCalendar('week', 'UTC'), '2025-12-31T12:00Z', '2026-01-12T00:00Z');
    expect([...starts, end].map(isoOf)).to.deep.equal([
      '2025-12-29T00:00Z',
      '2026-01-05T00:00Z',
      '2026-01-12T00:00Z',
    ]);
    expect(
      lengths(createCalendar('week', 'Europe/Berlin'), '2025-10-20T00:00Z', '2025-10-28T00:00Z'),
    ).to.deep.equal([7 * 24 + 1, 7 * 24]);
  });

  it('are months of their own lengths', () => {
    const { starts } = cover(
      createCalendar('month', 'Europe/Berlin'),
      '2025-12-31T23:30Z',
      '2026-04-01T00:00Z',
    );
    expect(starts.map(isoOf)).to.deep.equal([
      '2025-12-31T23:00Z',
      '2026-01-31T23:00Z',
      '2026-02-28T23:00Z',
      '2026-03-31T22:00Z',
    ]);
  });

  it('are hours of UTC in every zone', () => {
    const { starts, end } = cover(
      createCalendar('hour', 'Asia/Kathmandu'),
      '2026-01-10T12:10Z',
      '2026-01-10T14:00Z',
    );
    expect([...starts, end].map(isoOf)).to.deep.equal([
      '2026-01-10T12:00Z',
      '2026-01-10T13:00Z',
      '2026-01-10T14:00Z',
    ]);
  });

  it('are minutes of UTC in every zone', () => {
    const minutes = createCalendar('minute', 'Asia/Kathmandu');
    const { starts, end } = cover(minutes, '2026-01-10T12:10:30Z', '2026-01-10T12:12Z');
    expect([...starts, end].map(isoOf)).to.deep.equal([
      '2026-01-10T12:10Z',
      '2026-01-10T12:11Z',
      '2026-01-10T12:12Z',
    ]);
    expect(isoOf(minutes.before(Date.parse('2026-01-10T12:10Z'), 11))).to.equal('2026-01-10T11:59Z');
  });

  it('are as many before a time as asked for', () => {
    const start = Date.parse('2026-03-15T23:00Z');
    const before = (interval: 'hour' | 'day' | 'week' | 'month', count: number) =>
      isoOf(createCalendar(interval, 'Europe/Berlin').before(start, count));
    expect(before('hour', 5)).to.equal('2026-03-15T18:00Z');
    expect(before('day', 2)).to.equal('2026-03-13T23:00Z');
    expect(before('week', 1)).to.equal('2026-03-08T23:00Z');
    expect(before('month', 6)).to.equal('2025-08-31T22:00Z');
  });

  it('are not more than allowed', () => {
    const days = createCalendar('day', 'Europe/Berlin');
    const [from, to] = [Date.parse('2026-01-01T12:00Z'), Date.parse('2026-01-10T12:00Z')];
    expect(days.cover(from, to, 10)?.starts).to.have.length(10);
    expect(days.cover(from, to, 9)).to.equal(undefined);
  });
});
