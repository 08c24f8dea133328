import { setTimeout as sleep } from 'node:timers/promises';

const MS = { minute: 60_000, hour: 3_600_000, day: 86_400_000 } as const;

/**
 * Waits for the end of the clock minute, hour or day if it is nearer than `minMs`, for tests whose results depend on
 * it. `lateMs`: the test depends on a border that lies this long after the end of the hour.
 */
export async function untilItLasts(unit: keyof typeof MS, minMs: number, lateMs = 0): Promise<void> {
  const leftMs = MS[unit] - ((Date.now() - lateMs) % MS[unit]);
  if (leftMs < minMs) await sleep(leftMs + 1);
}
