import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { itNightly } from '../../support/nightly.ts';
import { type Scene, countFailed } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

/**
 * Maximum time until a restarted worker counts again, in addition to the measured start time of a process. The
 * session of its killed predecessor must expire first. Too long a timer delays every restart, and a busy machine
 * delays some: so only the fastest is checked.
 */
const RESUMES_WITHIN_MS = 25_000;

const POINTS = ['after-before', 'during-insert', 'after-insert', 'after-after'] as const;

describeStory('1 kill -9', ({ random, rounds, open, expectHonest }) => {
  // One scene for both, because its start costs as much as they do. The test of counters kills the worker at the points of a block.
  it('of the worker and of ingest under load leaves every count exact', async () => {
    const scene = await open();
    const resumedAfterMs: number[] = [];
    await rounds(1, async () => {
      await sleep(random.between(0, 1500));
      await scene.cast.worker.kill();
      resumedAfterMs.push(await restartWorker(scene));
    });
    expect(await countFailed(scene)).to.deep.equal({ rejected: 0, unknown: 0 });
    await rounds(1, async () => {
      await scene.load.acknowledged(random.between(5, 20));
      await scene.cast.ingest.kill();
      await scene.replace('ingest');
      await scene.load.acknowledged(5);
    });

    expectResumed(scene, resumedAfterMs);
    await expectHonest(scene);
  });

  itNightly('of the worker at a point of a block leaves every count exact', async () => {
    const scene = await open();
    const resumedAfterMs: number[] = [];
    // Each round takes the next point, because the session of each killed worker lasts eight seconds longer.
    const first = random.between(0, POINTS.length - 1);
    await rounds(1, async (round) => {
      const point = POINTS[(first + round) % POINTS.length] ?? 'after-before';
      await scene.cast.worker.stop();
      const doomed = await scene.replace('worker', {
        preloads: ['kill-at-point'],
        env: {
          KILL_POINT: point,
          KILL_BLOCK: String(random.between(1, 6)),
          KILL_DELAY_MS: String(random.between(0, 40)),
        },
      });
      await doomed.expectEnd();
      expect(await doomed.readLog()).to.include(`killed ${point}`);
      resumedAfterMs.push(await restartWorker(scene));
    });

    expectResumed(scene, resumedAfterMs);
    const { unknown, acknowledged, requests } = await expectHonest(scene);
    expect(unknown).to.equal(0);
    expect(acknowledged).to.equal(requests);
  });

  itNightly('of ingest and the worker at once leaves every count exact', async () => {
    const scene = await open();
    await rounds(1, async () => {
      await sleep(random.between(0, 1500));
      await Promise.all([scene.cast.ingest.kill(), scene.cast.worker.kill()]);
      await Promise.all([scene.replace('ingest'), restartWorker(scene)]);
      await scene.load.acknowledged(10);
    });

    await expectHonest(scene);
  });
});

function expectResumed(scene: Scene, resumedAfterMs: readonly number[]): void {
  expect(Math.min(...resumedAfterMs)).to.be.lessThan(RESUMES_WITHIN_MS + scene.startMs);
}

/** Resolves with the time in milliseconds until counting resumes. */
async function restartWorker(scene: Scene): Promise<number> {
  const startedAt = Date.now();
  await scene.replace('worker');
  await scene.counted();
  return Date.now() - startedAt;
}
