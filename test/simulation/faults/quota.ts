import { createRandom } from '#tooling/traffic';
import type { World } from '../world.ts';

/** One of ten worlds has quotas. With these digits, no seed that a known defect names has one. */
const DIGITS = 205_894;
const SHARE = 0.1;

const LONGEST_PAUSE_MS = 30_000;
const LONGEST_MS = 20_000;
/** Longer than a message waits. */
const LONGEST_THROTTLE_MS = 6000;

/**
 * Imposes a quota on producers from time to time, and loses some of the answers meanwhile: what was appended is then unknown, and the
 * next try waits at a broker that reads nothing. It has its own randomness, so that worlds without quotas stay as they are. Returns what
 * ends it.
 */
export function imposeQuotas({ schedule, supervisor, brokers }: World, seed: number): () => void {
  const random = createRandom(seed ^ DIGITS);
  let isOver = random() >= SHARE;
  const lift = (): void => {
    brokers.longestThrottleMs = 0;
    brokers.conditions.answerLost = 0;
  };
  const after = (ms: number, label: string, action: () => void): void => {
    schedule.after(supervisor, random() * ms, {
      label,
      action: () => {
        if (!isOver) action();
      },
    });
  };
  const impose = (): void => {
    brokers.longestThrottleMs = random() * LONGEST_THROTTLE_MS;
    brokers.conditions.answerLost = random() < 0.5 ? 0.2 : 0;
    after(LONGEST_MS, 'a quota is lifted', () => {
      lift();
      after(LONGEST_PAUSE_MS, 'a quota is imposed', impose);
    });
  };
  if (!isOver) after(LONGEST_PAUSE_MS, 'a quota is imposed', impose);
  return () => {
    if (!isOver) lift();
    isOver = true;
  };
}
