import { type Job, type Log, startJobOfMany } from '#runtime';
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
  const options = { name: 'harmful features', pauseMs: 30_000, log };
  return startJobOfMany<string>(options, async ({ isNewFailure }, signal) => {
    for (const harmful of await readHarmful()) {
      if (signal.aborted) return;
      const { feature, environment, reason } = harmful;
      try {
        if (await turnOff(harmful, { features, passOn }))
          log.warn({ feature, environment, reason }, 'harmful feature turned off');
      } catch (err) {
        if (isNewFailure(JSON.stringify([feature, environment])))
          log.error({ err, feature, environment }, 'harmful feature not turned off');
      }
    }
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
