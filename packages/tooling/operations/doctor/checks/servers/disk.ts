import { type Judgement, fail, ok, warn } from '../../finding.ts';

export type Disk = { readonly name: string; readonly freeBytes: number; readonly totalBytes: number };

/** What a table holds, and for how many days it keeps its rows. */
export type KeptTable = { readonly bytes: number; readonly storedDays: number; readonly keptDays: number };

const GIB = 2 ** 30;
const NOTABLE_SHARE = 0.15;
const URGENT_SHARE = 0.05;
/** The first days of a table say little about its growth. */
const MIN_DAYS = 7;

/** Compares the free bytes with the size of the disk, and with the growth until retention deletes the oldest days. */
export function judgeDisk({ name, freeBytes, totalBytes }: Disk, tables: readonly KeptTable[]): Judgement {
  const growth = tables.map(growthOf).reduce((sum, bytes) => sum + bytes, 0);
  const stored = tables.reduce((sum, { bytes }) => sum + bytes, 0);
  const text = `The disk ${name} has ${gib(freeBytes)} of ${gib(totalBytes)} free; the tables hold ${gib(stored)} and will grow by about ${gib(growth)}.`;
  const advice = 'Enlarge the disk, or shorten the retention.';
  if (freeBytes < URGENT_SHARE * totalBytes) return fail(text, advice);
  return freeBytes < NOTABLE_SHARE * totalBytes || freeBytes < growth ? warn(text, advice) : ok(text);
}

function growthOf({ bytes, storedDays, keptDays }: KeptTable): number {
  return storedDays < MIN_DAYS ? 0 : Math.max(0, (bytes / storedDays) * keptDays - bytes);
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
