import { MISSING } from './places.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

type Values = Readonly<Record<string, unknown>>;

/** A value of each kind that may stand anywhere. */
export const VALUES: Values = {
  nothing: MISSING,
  null: null,
  true: true,
  zero: 0,
  'a number': 7,
  'a negative number': -1,
  'a fraction': 2.5,
  'a number above 2^53': 2 ** 60,
  'a number beyond all': Infinity,
  'a negative number beyond all': -Infinity,
  'a negative zero': -0,
  'a text': 'word',
  'an empty text': '',
  'a number as text': '7',
  'a fraction as text': '2.5',
  'an empty list': [],
  'a list with null': [null],
  'an empty object': {},
};

/** The kinds for places that share their rules with others. */
export const FEW_VALUES: ReadonlySet<string> = new Set([
  'nothing',
  'null',
  'a number',
  'a number beyond all',
  'an empty text',
  'a number as text',
  'an empty list',
  'an empty object',
]);

/** The kinds that are left to the night. */
export const RARE_VALUES: ReadonlySet<string> = new Set(['a negative number beyond all', 'a negative zero']);

/** Further kinds where a number of a sample belongs. */
export const NUMBERS_OF_SAMPLES: Values = {
  true: true,
  'a negative number': -1,
  'a fraction': 2.5,
  'a number above 2^53': 2 ** 60,
  'a number beyond all': Infinity,
  'a negative zero': -0,
  'a text': 'word',
  'a fraction as text': '2.5',
  'a number with white space': ' 7 ',
  'a number with an exponent': '1e3',
  'NaN as text': 'NaN',
  'Infinity as text': 'Infinity',
  'a list with a number': [7],
  'an object with a number': { value: 7 },
};

/** Values where a time belongs. */
export function timesAround(now: number): Values {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const text = iso(now);
  const seconds = text.slice(0, 19);
  return {
    'RFC 3339': text,
    'epoch milliseconds': now,
    'epoch milliseconds as text': String(now),
    'epoch seconds': Math.floor(now / 1000),
    'an offset': `${seconds}+02:00`,
    'an offset of hours': `${seconds}+02`,
    'no zone': seconds,
    'white space for the T': `${seconds.replace('T', '\t')}Z`,
    'twelve digits of a second': `${seconds}.123456789012Z`,
    'a comma in the second': `${seconds},5Z`,
    'no seconds': `${text.slice(0, 16)}Z`,
    'a date': text.slice(0, 10),
    'RFC 1123': new Date(now).toUTCString(),
    '30 February': '2026-02-30T10:00:00Z',
    'hour 24': `${text.slice(0, 10)}T24:00:00Z`,
    'a leap second': '2016-12-31T23:59:60Z',
    'the start of 1970': '1970-01-01T00:00:00Z',
    '40 days ago': iso(now - 40 * 24 * HOUR_MS),
    '40 hours ago': iso(now - 40 * HOUR_MS),
    '90 minutes ahead': iso(now + 90 * MINUTE_MS),
    '4 hours ahead': iso(now + 4 * HOUR_MS),
    '13 hours ahead': iso(now + 13 * HOUR_MS),
    '2 days ahead': iso(now + 48 * HOUR_MS),
  };
}

const UNWRITTEN: ReadonlyMap<unknown, string> = new Map([
  [Infinity, '1e400'],
  [-Infinity, '-1e400'],
]);

/** The JSON of a body, with the numbers that JSON has and JSON.stringify does not write. */
export function jsonOf(body: unknown): string {
  const marked = JSON.stringify(body, (_, value: unknown) => {
    const text = Object.is(value, -0) ? '-0' : UNWRITTEN.get(value);
    return text === undefined ? value : `number ${text}`;
  });
  return marked.replaceAll(/"number (-?\w+)"/g, '$1');
}
