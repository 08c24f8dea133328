const MS_PER_HOUR = 3_600_000;
const MS_PER_DAY = 24 * MS_PER_HOUR;

/** Date and time of ISO 8601. Real senders also write a space instead of the T, and leave out the zone, which then is UTC. */
const PATTERN = /^\d{4}-\d\d-\d\d[Tt\s]\d\d:\d\d:\d\d(?:[.,]\d+)?(?:[Zz]|[+-]\d\d(?::?\d\d)?)?$/;
const FRACTION = 19;

/**
 * Epoch milliseconds of an ISO 8601 date and time; undefined if the text is not one. A day that does not exist is rejected
 * (`Date.parse` turns 30 February into 2 March). A leap second counts as the next second. The digits are read by position,
 * because capture groups doubled the time for a batch.
 */
export function parseTimestamp(text: string): number | undefined {
  if (!PATTERN.test(text)) return undefined;
  const year = twoDigits(text, 0) * 100 + twoDigits(text, 2);
  const [month, day] = [twoDigits(text, 5), twoDigits(text, 8)];
  if (month < 1 || month > 12 || day < 1 || day > daysInMonth(year, month)) return undefined;
  const [hour, minute, second] = [twoDigits(text, 11), twoDigits(text, 14), twoDigits(text, 17)];
  if (hour > 23 || minute > 59 || second > 60 || (second === 60 && minute !== 59)) return undefined;
  const rest = text.length === FRACTION ? 0 : readRest(text);
  if (rest === undefined) return undefined;
  return (
    daysSinceEpoch(year, month, day) * MS_PER_DAY +
    hour * MS_PER_HOUR +
    minute * 60_000 +
    second * 1000 +
    rest
  );
}

/** The latest time that a Date can hold. */
const MAX_TIME_MS = 8.64e15;

/**
 * The same, or a number of epoch milliseconds as text, as Unleash takes it. Its description of numbers says UNIX time, but it reads
 * milliseconds too. A number beyond all dates is the first or last one, so that only its row is refused.
 */
export function parseTime(text: string): number | undefined {
  const at = parseTimestamp(text);
  if (at !== undefined || text === '') return at;
  const ms = Math.floor(Number(text));
  return Number.isNaN(ms) ? undefined : Math.min(Math.max(ms, -MAX_TIME_MS), MAX_TIME_MS);
}

/** Milliseconds of the fraction minus the offset; undefined if no zone has this offset. */
function readRest(text: string): number | undefined {
  let at = FRACTION;
  let fractionMs = 0;
  if (text[at] === '.' || text[at] === ',') {
    let weight = 100;
    for (at += 1; at < text.length && isDigit(text, at); at += 1) {
      fractionMs += weight >= 1 ? digit(text, at) * weight : 0;
      weight /= 10;
    }
  }
  const sign = text[at];
  if (sign !== '+' && sign !== '-') return fractionMs;
  const hours = twoDigits(text, at + 1);
  const minutes = text.length === at + 3 ? 0 : twoDigits(text, text.length - 2);
  if (hours > 23 || minutes > 59) return undefined;
  const offsetMs = hours * MS_PER_HOUR + minutes * 60_000;
  return sign === '+' ? fractionMs - offsetMs : fractionMs + offsetMs;
}

function isDigit(text: string, at: number): boolean {
  const value = digit(text, at);
  return value >= 0 && value <= 9;
}

function digit(text: string, at: number): number {
  return text.charCodeAt(at) - 48;
}

function twoDigits(text: string, at: number): number {
  return digit(text, at) * 10 + digit(text, at + 1);
}

function daysInMonth(year: number, month: number): number {
  if (month === 2) return year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0) ? 29 : 28;
  return month === 4 || month === 6 || month === 9 || month === 11 ? 30 : 31;
}

/** Days since 1 January 1970 in the proleptic Gregorian calendar (H. Hinnant, "chrono-Compatible Low-Level Date Algorithms"). */
function daysSinceEpoch(year: number, month: number, day: number): number {
  const y = month <= 2 ? year - 1 : year;
  const era = Math.floor(y / 400);
  const yearOfEra = y - era * 400;
  const dayOfYear = Math.floor((153 * (month + (month > 2 ? -3 : 9)) + 2) / 5) + day - 1;
  const dayOfEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + dayOfYear;
  return era * 146_097 + dayOfEra - 719_468;
}

/** Start of a day in epoch milliseconds; undefined for a day that does not exist. */
export function startOfDate(year: number, month: number, day: number): number | undefined {
  const exists = month >= 1 && month <= 12 && day >= 1 && day <= daysInMonth(year, month);
  return exists ? daysSinceEpoch(year, month, day) * MS_PER_DAY : undefined;
}

/** Hours since the epoch, the unit of time of counts. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / MS_PER_HOUR);
}

export function startOfHourMs(hour: number): number {
  return hour * MS_PER_HOUR;
}
