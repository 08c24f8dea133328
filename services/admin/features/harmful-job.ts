import { type Job, type Log, startJob } from '#runtime';
import { SYSTEM } from '#tokens';
import type { PassOn } from './pass-on.ts';
import type { Features } from './store.ts';
import type { Harmful } from './store/turn-off.ts';

type Parts = {
  readonly readHarmful: () => Promise<Harmful[]>;
  readonly features: Pick<Features, 'turnOffHarmful'>;
  readonly passOn: PassOn;
  readonly log: Log;
};

/**
 * Turns features off where they are harmful and a guard asks for it, in Unleash if Unleash owns them. What fails is tried again
 * in the next round.
 */
export function startHarmfulJob({ readHarmful, features, passOn, log }: Parts): Job {
  let failedBefore: ReadonlySet<string> = new Set();
  return startJob({ name: 'harmful features', pauseMs: 30_000, log }, async (signal) => {
    const failed = new Set<string>();
    for (const harmful of await readHarmful()) {
      if (signal.aborted) return;
      const { feature, environment, reason } = harmful;
      try {
        if (await turnOff(harmful, { features, passOn }))
          log.warn({ feature, environment, reason }, 'harmful feature turned off');
      } catch (err) {
        const key = JSON.stringify([feature, environment]);
        failed.add(key);
        // Logged once, because every further round would log the same.
        if (!failedBefore.has(key))
          log.error({ err, feature, environment }, 'harmful feature not turned off');
      }
    }
    failedBefore = failed;
  });
}

async function turnOff(
  harmful: Harmful,
  { features, passOn }: Pick<Parts, 'features' | 'passOn'>,
): Promise<boolean> {
  const result = await features.turnOffHarmful(harmful);
  if (result !== 'owned by Unleash') return result === 'turned off';
  const { feature, environment, reason } = harmful;
  await passOn({ name: feature, state: { environment, isEnabled: false }, caller: SYSTEM, reason });
  return true;
}
