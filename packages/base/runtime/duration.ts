const MS = { m: 60_000, h: 3_600_000, d: 24 * 3_600_000 } as const;

/** Milliseconds of a duration as operators write it: `90m`, `24h`, `7d`. Undefined for any other text. */
export function parseDuration(text: string): number | undefined {
  const [, count, unit] = /^(\d{1,5})([mhd])$/.exec(text) ?? [];
  return unit === 'm' || unit === 'h' || unit === 'd' ? Number(count) * MS[unit] : undefined;
}
