import type { Service } from '#base/runtime';
import { type OwnUnleash, ownUnleash } from '../../support/stack/engines/unleash.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN, type World, createWorld } from '../../support/world.ts';

/** A flagmeter in front of a real Unleash, with features and tokens of each test. */
export type Front = {
  readonly unleash: OwnUnleash;
  readonly world: World;
  /** Ingest, in the process of the test. */
  readonly flagmeter: Service;
};

export async function openFront(): Promise<Front> {
  const unleash = await ownUnleash({ production: CLIENT_TOKEN });
  const world = await createWorld({
    UNLEASH_URL: unleash.address,
    // Only Unleash knows the other one.
    INIT_CLIENT_API_TOKENS: OTHER_CLIENT_TOKEN,
  });
  return { unleash, world, flagmeter: await startCounting(world) };
}
