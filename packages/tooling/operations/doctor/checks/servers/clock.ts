import type { Now } from '../../installation.ts';
import { type Check, type Judgement, fail, ok, warn } from '../../finding.ts';

/** How far an engine's clock is ahead of this host's; negative if it is behind. */
export type ClockDifference = {
  readonly aheadMs: number;
  /** Half of the round trip: the answer does not say when in between the clock was read. */
  readonly uncertaintyMs: number;
};

const SAMPLES = 5;
export const NOTABLE_MS = 1000;
/** The worker allows for this difference when it decides whether ClickHouse may have forgotten a block. */
const LARGEST_MS = 60_000;
export const SYNCHRONISE = 'Synchronise the clocks (NTP) of both hosts.';

/** Compares the clock of an engine with that of this host. `readMs` asks the engine for its time. */
export function clockCheck(engine: string, readMs: () => Promise<number>, now: Now): Check {
  return { name: `${engine} clock`, run: async () => judgeClock(await measureClock(readMs, now)) };
}

/** Asks several times and believes the fastest answer. */
async function measureClock(readMs: () => Promise<number>, now: Now): Promise<ClockDifference> {
  let best: ClockDifference = { aheadMs: 0, uncertaintyMs: Infinity };
  for (let sample = 0; sample < SAMPLES; sample += 1) {
    const from = now();
    const theirs = await readMs();
    const to = now();
    const uncertaintyMs = (to - from) / 2 + 1; // clocks show whole milliseconds
    if (uncertaintyMs < best.uncertaintyMs) best = { aheadMs: theirs - (from + to) / 2, uncertaintyMs };
  }
  return best;
}

/** Judges only the part of the difference that is certain. */
export function judgeClock({ aheadMs, uncertaintyMs }: ClockDifference): Judgement {
  const sizeMs = Math.abs(aheadMs);
  const range = `± ${seconds(uncertaintyMs)}`;
  if (sizeMs <= uncertaintyMs) return ok(`The clock agrees with this host (${range}).`);
  const text = `The clock is ${seconds(sizeMs)} ${aheadMs > 0 ? 'ahead of' : 'behind'} this host (${range}).`;
  const certainMs = sizeMs - uncertaintyMs;
  if (certainMs >= LARGEST_MS) return fail(text, SYNCHRONISE);
  return certainMs >= NOTABLE_MS ? warn(text, SYNCHRONISE) : ok(text);
}

function seconds(ms: number): string {
  return `${(ms / 1000).toFixed(3)} s`;
}
