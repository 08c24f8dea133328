import { createRandom } from '#tooling/traffic';
import type { Shape, World } from '../world.ts';
import { floodWithPoison } from './flood.ts';
import type { BeginIncident, Incident } from './incident.ts';
import { createTopicAgain } from './new-topic.ts';
import { deleteCounted, deleteUncounted } from './retention.ts';
import {
  announcementIsLost,
  clickhouseDiesOften,
  insertsArriveLate,
  workersMeetInCompletions,
} from './stores.ts';
import {
  answersOfIngestAreLost,
  doubtLasts,
  oneTopicRejects,
  relaysRepeatWhileKafkaRejects,
  relaysRepeatWhileMirrorsChange,
  requestsArriveLate,
} from './unanswered.ts';

/** `isLossy`: acknowledged batches may be lost. `share`: of the worlds. `shape`: what the world must have. */
type Kind = {
  readonly isLossy?: true;
  readonly share: number;
  readonly shape?: Partial<Shape>;
  readonly begin: BeginIncident;
};

/** What Unleash and the sums of samples have after a loss is not promised. */
const LOSSY = { isLossy: true, shape: { mirrors: 0 } } as const;

const KINDS: readonly Kind[] = [
  { share: 0.06, begin: deleteCounted },
  { share: 0.06, ...LOSSY, begin: deleteUncounted },
  { share: 0.06, begin: floodWithPoison },
  { share: 0.06, ...LOSSY, begin: createTopicAgain },
  { share: 0.04, begin: answersOfIngestAreLost },
  { share: 0.03, begin: relaysRepeatWhileMirrorsChange },
  { share: 0.04, begin: doubtLasts },
  { share: 0.02, begin: oneTopicRejects },
  { share: 0.04, begin: requestsArriveLate },
  { share: 0.05, begin: clickhouseDiesOften },
  { share: 0.02, begin: announcementIsLost },
  { share: 0.02, shape: { ingests: 1, relays: 2 }, begin: relaysRepeatWhileKafkaRejects },
  { share: 0.03, shape: { workers: 2, replicas: 1 }, begin: workersMeetInCompletions },
  { share: 0.02, shape: { replicas: 1 }, begin: insertsArriveLate },
];

export type ChosenIncident = {
  readonly isLossy: boolean;
  readonly shape: Partial<Shape>;
  readonly begin: (world: World) => Incident;
};

/** The incident of a world, if it has one. Its randomness is its own, so that worlds without an incident stay as they are. */
export function chooseIncident(seed: number): ChosenIncident | undefined {
  const random = createRandom(seed ^ 0x27d4eb2f);
  let rest = random();
  for (const { share, isLossy = false, shape = {}, begin } of KINDS) {
    if (rest < share) return { isLossy, shape, begin: (world) => begin(world, random) };
    rest -= share;
  }
  return undefined;
}
