const MS_PER_HOUR = 3_600_000;

/** Date and time of ISO 8601; a space for the T and a missing zone (then UTC) occur in the field. */
const PATTERN =
  /^(\d{4})-(\d\d)-(\d\d)[Tt ](\d\d):(\d\d):(\d\d)(?:[.,](\d{1,9}))?(?:[Zz]|([+-])(\d\d):?(\d\d))?$/;

/**
 * Epoch milliseconds of an ISO 8601 date and time, undefined if it is none. A day that does not exist is refused
 * (`Date.parse` would turn 30 February into 2 March). A leap second counts as the second after it.
 */
export function parseTimestamp(text: string): number | undefined {
  const match = PATTERN.exec(text);
  if (match === null) return undefined;
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHours, offsetMinutes] = match;
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined;
  if (Number(second) === 60 && Number(minute) !== 59) return undefined;
  if (Number(offsetHours ?? 0) > 23 || Number(offsetMinutes ?? 0) > 59) return undefined;
  const midnight = Date.parse(`${year ?? ''}-${month ?? ''}-${day ?? ''}T00:00:00Z`);
  if (Number.isNaN(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  const offsetMs = (Number(offsetHours ?? 0) * 60 + Number(offsetMinutes ?? 0)) * 60_000;
  const timeMs = ((Number(hour) * 60 + Number(minute)) * 60 + Number(second)) * 1000;
  return (
    midnight + timeMs + Number(fraction.slice(0, 3).padEnd(3, '0')) - (sign === '-' ? -offsetMs : offsetMs)
  );
}

/** Hours since the epoch: the unit of time in which counts are kept. */
export function hourOf(epochMs: number): number {
  return Math.floor(epochMs / MS_PER_HOUR);
}

export function startOfHourMs(hour: number): number {
  return hour * MS_PER_HOUR;
}
