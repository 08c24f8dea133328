import { type Postgres, inTransaction } from '#base/postgres';
import { type Job, type JobOptions, startJobOfMany } from '#base/runtime';
import { SYSTEM } from '#base/tokens';
import type { PassOn } from '../change/pass-on.ts';
import { mendTimes } from './mend-times.ts';
import type { HarmfulFeatures } from './read-harmful.ts';
import { type ProvedHarmful, turnOffHarmful, withholdUnproved } from './turn-off.ts';

type Parts = {
  readonly readHarmful: () => Promise<HarmfulFeatures>;
  readonly db: Postgres;
  readonly passOn: PassOn;
};

/**
 * Turns features off where they are harmful and a guard asks for it, in Unleash if Unleash owns them, or says in an event why not.
 * What fails is tried again in the next round.
 */
export function startHarmfulJob(
  { readHarmful, db, passOn }: Parts,
  { log, startAfterMs }: Pick<JobOptions, 'log' | 'startAfterMs'>,
): Job {
  const options = { name: 'harmful features', pauseMs: 30_000, startAfterMs, log };
  return startJobOfMany<string>(options, async ({ isNewFailure }, signal) => {
    await mendTimes(db);
    const { proved, unproved } = await readHarmful();
    for (const harmful of proved) {
      if (signal.aborted) return;
      const { feature, environment, reason } = harmful;
      try {
        if (await turnOff(harmful, { db, passOn }))
          log.warn({ feature, environment, reason }, 'harmful feature turned off');
      } catch (err) {
        if (isNewFailure(JSON.stringify([feature, environment])))
          log.error({ err, feature, environment }, 'harmful feature not turned off');
      }
    }
    for (const harmful of unproved) {
      if (signal.aborted) return;
      await inTransaction(db, (client) => withholdUnproved(client, harmful));
    }
  });
}

async function turnOff(
  harmful: ProvedHarmful,
  { db, passOn }: Pick<Parts, 'db' | 'passOn'>,
): Promise<boolean> {
  const result = await inTransaction(db, (client) => turnOffHarmful(client, harmful));
  if (typeof result === 'string') return result === 'turned off';
  const { feature, environment } = harmful;
  const state = { environment, isEnabled: false };
  await passOn({ name: feature, state, caller: SYSTEM, because: result.ownedByUnleash });
  return true;
}
