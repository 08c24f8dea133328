import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { itNightly } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import { type Role, type Scene, processOf } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';
import { ADMIN_TOKEN } from '../../support/world.ts';

/** The time that an installation gives a load balancer to notice that a process is shutting down. */
const GRACE = { SHUTDOWN_GRACE_MS: '300' };

/**
 * By day, ingest-processes.test.ts replaces all processes of `flagmeter start` under load, and test/integration/base/processes/drain.test.ts stops
 * each service in order.
 */
describeStory('7 rolling restart', ({ random, rounds, open, expectHonest }) => {
  itNightly(
    'of every service under load loses nothing, doubles nothing, and lets every retried request succeed',
    async () => {
      const scene = await open({ env: GRACE });
      const caller = startCaller(scene);
      await rounds(1, async () => {
        for (const role of ['worker', 'ingest', 'admin'] as const) {
          await sleep(random.between(0, 500));
          if (random.next() < 0.5) await startThenStop(scene, role);
          else await stopThenStart(scene, role);
          await scene.load.acknowledged(random.between(5, 20));
        }
        await scene.counted();
      });
      const answers = await caller.stop();

      // While the only ingest is starting, a relay may get 503 and send its counts again. The load accepts no other
      // rejection.
      expect((await expectHonest(scene)).unknown).to.equal(0);
      // A client of a process that shuts down may have to retry, because the kernel drops connections that were not
      // accepted yet.
      expect([...answers.keys()].filter((answer) => answer !== '200' && answer !== 'gone')).to.deep.equal([]);
      expect(answers.get('200')).to.be.greaterThan(0);
    },
  );
});

async function startThenStop(scene: Scene, role: Role): Promise<void> {
  const old = processOf(scene, role);
  await scene.replace(role);
  expect(await old.stop()).to.equal(0);
}

async function stopThenStart(scene: Scene, role: Role): Promise<void> {
  expect(await processOf(scene, role).stop()).to.equal(0);
  await scene.replace(role);
}

type Caller = { stop(): Promise<ReadonlyMap<string, number>> };

/**
 * Requests the strategies from admin repeatedly, each time on a new connection, as through a load balancer. Returns
 * the number of answers by status.
 */
function startCaller(scene: Scene): Caller {
  const answers = new Map<string, number>();
  const running = { isStopping: false };
  const work = (async () => {
    while (!running.isStopping) {
      const answer = await ask(processOf(scene, 'admin'));
      answers.set(answer, (answers.get(answer) ?? 0) + 1);
      await sleep(50);
    }
  })();
  return {
    async stop() {
      running.isStopping = true;
      await work;
      return answers;
    },
  };
}

async function ask(admin: ServiceProcess): Promise<string> {
  try {
    const headers = { authorization: ADMIN_TOKEN, connection: 'close' };
    const answer = await fetch(`${admin.url}/api/admin/strategies`, { headers });
    await answer.arrayBuffer();
    return String(answer.status);
  } catch (error) {
    if (await admin.isExcused()) return 'gone';
    return error instanceof Error ? String(error.cause) : String(error);
  }
}
