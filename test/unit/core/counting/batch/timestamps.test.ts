import { expect } from 'chai';
import fc from 'fast-check';
import { hourOf, parseTimestamp, startOfHourMs, startOfDate } from '#base/schema';

const ACCEPTED: readonly (readonly [text: string, same: string])[] = [
  ['2026-08-21T10:00:00Z', '2026-08-21T10:00:00.000Z'],
  ['2026-08-21T10:00:30.5Z', '2026-08-21T10:00:30.500Z'],
  ['2026-08-21T10:00:30.05Z', '2026-08-21T10:00:30.050Z'],
  ['2026-08-21T10:01:03.120Z', '2026-08-21T10:01:03.120Z'],
  ['2026-08-21T09:59:12.348217Z', '2026-08-21T09:59:12.348Z'],
  ['2026-08-21T09:59:12.999999999Z', '2026-08-21T09:59:12.999Z'],
  ['2026-08-21T09:59:12.1239999999999999Z', '2026-08-21T09:59:12.123Z'],
  ['2026-08-21T10:00:00+02', '2026-08-21T08:00:00.000Z'],
  ['2026-08-21T10:00:00.5-05', '2026-08-21T15:00:00.500Z'],
  ['2026-08-21T09:59:12,5Z', '2026-08-21T09:59:12.500Z'],
  ['2026-08-21t10:00:00z', '2026-08-21T10:00:00.000Z'],
  ['2026-08-21 10:00:00', '2026-08-21T10:00:00.000Z'],
  ['2026-08-21T10:00:00', '2026-08-21T10:00:00.000Z'],
  ['2026-08-21T10:00:00+02:00', '2026-08-21T08:00:00.000Z'],
  ['2026-08-21T10:00:00-0530', '2026-08-21T15:30:00.000Z'],
  ['2026-08-21T10:00:00-00:00', '2026-08-21T10:00:00.000Z'],
  ['2026-08-21T23:30:00-01:00', '2026-08-22T00:30:00.000Z'],
  ['2026-08-21T10:00:00+23:59', '2026-08-20T10:01:00.000Z'],
  ['2026-08-21T10:00:00.5+02:00', '2026-08-21T08:00:00.500Z'],
  ['2026-08-21T10:00:00.25-0530', '2026-08-21T15:30:00.250Z'],
  ['2028-02-29T00:00:00Z', '2028-02-29T00:00:00.000Z'],
  ['2000-02-29T00:00:00Z', '2000-02-29T00:00:00.000Z'],
  ['2016-12-31T23:59:60Z', '2017-01-01T00:00:00.000Z'],
  ['2017-01-01T00:59:60+01:00', '2017-01-01T00:00:00.000Z'],
  ['0001-01-01T00:00:00Z', '0001-01-01T00:00:00.000Z'],
  ['1867-03-30T12:00:00Z', '1867-03-30T12:00:00.000Z'],
  ['9999-12-31T23:59:59.999Z', '9999-12-31T23:59:59.999Z'],
];

const REFUSED = [
  '',
  'yesterday',
  'null',
  '1787313600000',
  '2026-08-21',
  '2026-08-21T10:00',
  '2026-08-21T10:00Z',
  '2026-02-30T10:00:00Z',
  '2026-02-29T10:00:00Z',
  '1900-02-29T10:00:00Z',
  '2026-04-31T10:00:00Z',
  '2026-06-31T10:00:00Z',
  '2026-09-31T10:00:00Z',
  '2026-11-31T10:00:00Z',
  '2026-08-00T10:00:00Z',
  '2026-08-32T10:00:00Z',
  '2026-00-21T10:00:00Z',
  '2026-13-21T10:00:00Z',
  '2026-08-21T24:00:00Z',
  '2026-08-21T10:60:00Z',
  '2026-08-21T10:00:60Z',
  '2026-08-21T10:59:61Z',
  '2026-08-21T10:00:00.Z',
  '2026-08-21T10:00:00+24:00',
  '2026-08-21T10:00:00+01:60',
  '2026-08-21T10:00:00+1',
  '2026-08-21T10:00:00 UTC',
  '2026-8-21T10:00:00Z',
  '+002026-08-21T10:00:00Z',
  '12026-08-21T10:00:00Z',
  '-0001-08-21T10:00:00Z',
  ' 2026-08-21T10:00:00Z',
  '2026-08-21T10:00:002026-08-21T10:00:00Z',
  '2026-08-21T10:00:00Z\n',
  '２０２６-08-21T10:00:00Z',
];

describe('parseTimestamp', () => {
  for (const [text, same] of ACCEPTED) {
    it(`reads ${text} as ${same}`, () => {
      expect(parseTimestamp(text)).to.equal(Date.parse(same));
    });
  }

  for (const text of REFUSED) {
    it(`rejects ${JSON.stringify(text)}`, () => {
      expect(parseTimestamp(text)).to.equal(undefined);
    });
  }

  it('parses the ISO form of any date in the years 0000 to 9999', () => {
    const dates = fc.date({
      min: new Date('0000-01-01T00:00:00Z'),
      max: new Date('9999-12-31T23:59:59.999Z'),
      noInvalidDate: true,
    });
    fc.assert(
      fc.property(dates, (date) => {
        expect(parseTimestamp(date.toISOString())).to.equal(date.getTime());
      }),
    );
  });

  it('never throws, and returns a number only for a date and time', () => {
    fc.assert(
      fc.property(fc.string(), (text) => {
        expect(parseTimestamp(text)).to.equal(undefined);
      }),
    );
  });
});

describe('startOfDate', () => {
  it('knows the days that exist, in leap years and others', () => {
    for (const year of [1900, 1999, 2000, 2026, 2028])
      for (let month = 0; month <= 13; month += 1)
        for (let day = 0; day <= 32; day += 1) {
          const at = Date.UTC(year, month - 1, day);
          const exists = new Date(at).getUTCMonth() === month - 1 && new Date(at).getUTCDate() === day;
          expect(startOfDate(year, month, day), `${year}-${month}-${day}`).to.equal(exists ? at : undefined);
        }
  });
});

describe('hourOf', () => {
  it('keeps the last millisecond of an hour in that hour', () => {
    expect(hourOf(Date.UTC(2026, 7, 21, 10, 59, 59, 999))).to.equal(hourOf(Date.UTC(2026, 7, 21, 10)));
  });

  it('begins the next hour at its first millisecond', () => {
    expect(hourOf(Date.UTC(2026, 7, 21, 11))).to.equal(hourOf(Date.UTC(2026, 7, 21, 10)) + 1);
  });

  it('continues with negative hours before 1970', () => {
    expect(hourOf(-1)).to.equal(-1);
  });

  it('is reversed by startOfHourMs', () => {
    expect(startOfHourMs(hourOf(Date.UTC(2026, 7, 21, 10, 31)))).to.equal(Date.UTC(2026, 7, 21, 10));
  });
});
