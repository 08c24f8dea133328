import { STORIES_VARIABLE, writeRow } from '../../../tools/run/suite/report/story-table.ts';
import { type Random, chooseRounds, chooseSeed, createRandom } from '../builders/random.ts';
import type { LedgerResult } from './ledger.ts';
import { type Scene, type SceneOptions, openScene } from './scene.ts';

/** One story of the fault suite. Its tests share random numbers from one printed seed, and add up their results. */
export type Story = {
  readonly random: Random;
  /** Repeats an action `defaultRounds` times, multiplied by `ROUNDS`. */
  readonly rounds: (defaultRounds: number, act: (round: number) => Promise<void>) => Promise<void>;
  /** Opens a flagmeter with its processes and a load. It is closed after the test, after the hooks of the story. */
  readonly open: (options?: SceneOptions) => Promise<Scene>;
  /** For a hook that stops an engine of this story: its scenes must be closed first. */
  readonly closeScenes: () => Promise<void>;
  /**
   * Ends a scene. Everything acknowledged is counted once, nothing twice, no process needed an operator, and no
   * onlooker got a wrong answer.
   */
  readonly expectHonest: (scene: Scene) => Promise<LedgerResult>;
  /** Adds the results of a ledger to the row of this story. */
  readonly record: (result: LedgerResult) => void;
};

/** Describes a story to mocha. If the run names a directory, the story writes its row there. */
export function describeStory(name: string, run: (story: Story) => void): void {
  const seed = chooseSeed();
  describe(`${name} (SEED=${seed} ROUNDS=${chooseRounds(1)})`, function () {
    this.timeout(chooseRounds(1) * 600_000);
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
    run({
      random,
      closeScenes,
      async rounds(defaultRounds, act) {
        for (let round = 0; round < chooseRounds(defaultRounds); round += 1) {
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

/** The onlookers got answers, and none of them was wrong. */
async function expectContent({ onlookers, mayDiffer }: Scene): Promise<void> {
  await onlookers.satisfied();
  await onlookers.stop();
  const problems = [...onlookers.complaints(), ...(mayDiffer ? [] : onlookers.differences())];
  if (problems.length > 0) throw new Error(`onlookers got wrong answers:\n${problems.join('\n')}`);
}

const KEYS = ['requests', 'acknowledged', 'unknown', 'counted', 'doubled', 'lost'] as const;
