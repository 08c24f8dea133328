import type { Service } from '#runtime';
import { type OwnUnleash, ownUnleash } from '../../support/engines/unleash.ts';
import { startCounting } from '../../support/stories/counting.ts';
import { type World, createWorld } from '../../support/world.ts';

/** A flagmeter in front of a real Unleash, with features and tokens of each test. */
export type Front = {
  readonly unleash: OwnUnleash;
  readonly world: World;
  /** Ingest, in the process of the test. */
  readonly flagmeter: Service;
};

export async function openFront(): Promise<Front> {
  const unleash = await ownUnleash();
  const world = await createWorld({ UNLEASH_URL: unleash.address });
  return { unleash, world, flagmeter: await startCounting(world) };
}
