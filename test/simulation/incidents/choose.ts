import { createRandom } from '#traffic';
import type { World } from '../world.ts';
import { floodWithPoison } from './flood.ts';
import type { BeginIncident, Incident } from './incident.ts';
import { createTopicAgain } from './new-topic.ts';
import { deleteCounted, deleteUncounted } from './retention.ts';

/** `isLossy`: acknowledged batches may be lost. */
type Kind = { readonly isLossy: boolean; readonly begin: BeginIncident };

const KINDS: readonly Kind[] = [
  { isLossy: false, begin: deleteCounted },
  { isLossy: true, begin: deleteUncounted },
  { isLossy: false, begin: floodWithPoison },
  { isLossy: true, begin: createTopicAgain },
];
/** Of the worlds, for each kind. */
const SHARE = 0.06;

export type ChosenIncident = Pick<Kind, 'isLossy'> & { readonly begin: (world: World) => Incident };

/** The incident of a world, if it has one. Its randomness is its own, so that worlds without an incident stay as they are. */
export function chooseIncident(seed: number): ChosenIncident | undefined {
  const random = createRandom(seed ^ 0x27d4eb2f);
  const kind = KINDS[Math.floor(random() / SHARE)];
  return kind && { isLossy: kind.isLossy, begin: (world) => kind.begin(world, random) };
}
