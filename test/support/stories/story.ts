import { STORIES_VARIABLE, writeRow } from '../../../infra/run/story-table.ts';
import { type Random, chooseRounds, chooseSeed, createRandom } from '../builders/random.ts';
import type { LedgerResult } from './ledger.ts';
import { type Scene, type SceneOptions, openScene } from './scene.ts';

/** One story of the fault suite: what its tests play, with chance from one printed seed, and what they add up to. */
export type Story = {
  readonly random: Random;
  /** Does something as often as the story is told: `usual` times, multiplied by `ROUNDS`. */
  readonly rounds: (usual: number, act: (round: number) => Promise<void>) => Promise<void>;
  /** A flagmeter with its processes and a load; closed after the test, behind the hooks of the story. */
  readonly open: (options?: SceneOptions) => Promise<Scene>;
  /** For the hook that ends an engine of the story's own, which its scenes must leave first. */
  readonly closeScenes: () => Promise<void>;
  /** Ends a scene: everything acknowledged is counted once, nothing twice, no process needed a hand, no onlooker was misled. */
  readonly expectHonest: (scene: Scene) => Promise<LedgerResult>;
  /** Adds what a ledger was found to hold to the row of this story. */
  readonly record: (result: LedgerResult) => void;
};

/** Describes a story to mocha. Its row goes to the directory that the run names, if it names one. */
export function describeStory(name: string, tell: (story: Story) => void): void {
  const seed = chooseSeed();
  describe(`${name} (SEED=${seed} ROUNDS=${chooseRounds(1)})`, function () {
    this.timeout(chooseRounds(1) * 240_000);
    const sum = { requests: 0, acknowledged: 0, unknown: 0, counted: 0, doubled: 0, lost: 0 };
    const scenes: Scene[] = [];
    const random = createRandom(seed);
    let played = 0;
    const record = (result: LedgerResult): void => {
      for (const key of KEYS) sum[key] += result[key];
    };
    const closeScenes = async (): Promise<void> => {
      await Promise.all(scenes.splice(0).map((scene) => scene.close()));
    };
    after(() => {
      const directory = process.env[STORIES_VARIABLE];
      if (directory !== undefined) writeRow(directory, { story: name, rounds: played, ...sum });
    });
    tell({
      random,
      closeScenes,
      async rounds(usual, act) {
        for (let round = 0; round < chooseRounds(usual); round += 1) {
          await act(round);
          played += 1;
        }
      },
      async open(options = {}) {
        const scene = await openScene(random, options);
        scenes.push(scene);
        return scene;
      },
      async expectHonest(scene) {
        await scene.load.stop();
        scene.expectAllAlive();
        const result = await scene.ledger.examine(scene.world);
        record(result);
        if (result.problems.length > 0) throw new Error(`not counted once:\n${result.problems.join('\n')}`);
        scene.expectAllAlive();
        await expectContent(scene);
        return result;
      },
      record,
    });
    afterEach(closeScenes);
  });
}

/** The onlookers got answers, and none that is wrong. */
async function expectContent({ onlookers, mayDiffer }: Scene): Promise<void> {
  await onlookers.satisfied();
  await onlookers.stop();
  const problems = [...onlookers.complaints(), ...(mayDiffer ? [] : onlookers.differences())];
  if (problems.length > 0) throw new Error(`onlookers were misled:\n${problems.join('\n')}`);
}

const KEYS = ['requests', 'acknowledged', 'unknown', 'counted', 'doubled', 'lost'] as const;
