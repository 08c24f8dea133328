import { createRandom } from '#traffic';
import type { World } from '../world.ts';
import { floodWithPoison } from './flood.ts';
import type { BeginIncident, Incident } from './incident.ts';
import { createTopicAgain } from './new-topic.ts';
import { deleteCounted, deleteUncounted } from './retention.ts';
import { announcementIsLost, clickhouseDiesOften } from './stores.ts';
import {
  answersOfIngestAreLost,
  doubtLasts,
  oneTopicRejects,
  relaysRepeatWhileMirrorsChange,
  requestsArriveLate,
} from './unanswered.ts';

/** `isLossy`: acknowledged batches may be lost. `share`: of the worlds. */
type Kind = { readonly isLossy?: true; readonly share: number; readonly begin: BeginIncident };

const KINDS: readonly Kind[] = [
  { share: 0.06, begin: deleteCounted },
  { share: 0.06, isLossy: true, begin: deleteUncounted },
  { share: 0.06, begin: floodWithPoison },
  { share: 0.06, isLossy: true, begin: createTopicAgain },
  { share: 0.04, begin: answersOfIngestAreLost },
  { share: 0.03, begin: relaysRepeatWhileMirrorsChange },
  { share: 0.04, begin: doubtLasts },
  { share: 0.02, begin: oneTopicRejects },
  { share: 0.04, begin: requestsArriveLate },
  { share: 0.05, begin: clickhouseDiesOften },
  { share: 0.02, begin: announcementIsLost },
];

export type ChosenIncident = {
  readonly isLossy: boolean;
  readonly begin: (world: World) => Incident;
};

/** The incident of a world, if it has one. Its randomness is its own, so that worlds without an incident stay as they are. */
export function chooseIncident(seed: number): ChosenIncident | undefined {
  const random = createRandom(seed ^ 0x27d4eb2f);
  let rest = random();
  for (const { share, isLossy = false, begin } of KINDS) {
    if (rest < share) return { isLossy, begin: (world) => begin(world, random) };
    rest -= share;
  }
  return undefined;
}
