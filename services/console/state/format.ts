/** The time zone of all times on the screen. */
export type Zone = 'UTC' | 'local';

const COUNT = new Intl.NumberFormat('en-GB');

/** 1,204,331 */
export function formatCount(count: number | bigint): string {
  return COUNT.format(count);
}

const MEASURED = new Intl.NumberFormat('en-GB', { maximumSignificantDigits: 3 });

/** 0.0123, 4.56, 1,230: a rate or a measured value, to three digits. */
export function formatMeasured(value: number): string {
  return MEASURED.format(value);
}

/** 12.4 %. A share of nothing is unknown. Never rounds to 0 or 100 what is not. */
export function formatShare(part: number, whole: number): string {
  if (whole === 0) return '–';
  const percent = (100 * part) / whole;
  if (percent > 0 && percent < 0.1) return '< 0.1 %';
  if (percent < 100 && percent > 99.9) return '> 99.9 %';
  return `${percent === 0 || percent === 100 ? percent : percent.toFixed(1)} %`;
}

/** 2026-11-22 09:12, in the zone of the switch. */
export function formatTime(
  time: number | string,
  zone: Zone,
  options: { readonly withSeconds?: boolean } = {},
): string {
  const date = new Date(time);
  const shifted = zone === 'UTC' ? date : new Date(date.getTime() - date.getTimezoneOffset() * 60_000);
  return shifted
    .toISOString()
    .replace('T', ' ')
    .slice(0, options.withSeconds === true ? 19 : 16);
}

const UNITS = [
  [86_400_000, 'd'],
  [3_600_000, 'h'],
  [60_000, 'min'],
  [1000, 's'],
] as const;

/** 12 s, 4 min, 3 h, 2 d; always the largest unit that fits. */
export function formatAge(ageMs: number): string {
  for (const [unitMs, unit] of UNITS) if (ageMs >= unitMs) return `${Math.floor(ageMs / unitMs)} ${unit}`;
  return '0 s';
}
