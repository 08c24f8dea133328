import { setTimeout as sleep } from 'node:timers/promises';

const MS = { hour: 3_600_000, day: 86_400_000 } as const;

/**
 * For tests of what is limited or shown by the clock hour or day: waits for its end if that is nearer than `leastMs`. `lateMs` is
 * for what takes an hour for complete some time after its end.
 */
export async function untilItLasts(unit: keyof typeof MS, leastMs: number, lateMs = 0): Promise<void> {
  const leftMs = MS[unit] - ((Date.now() - lateMs) % MS[unit]);
  if (leftMs < leastMs) await sleep(leftMs + 1);
}
