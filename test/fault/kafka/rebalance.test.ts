import { expect } from 'chai';
import { itNightly } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

describeStory('5 workers that come and go', ({ random, rounds, open, expectHonest }) => {
  itNightly('in twos and threes, by signal or kill, leave every count exact', async () => {
    const scene = await open();
    const others: ServiceProcess[] = [];
    await rounds(1, async (round) => {
      others.push(await join(scene, random.between(5, 40)));
      if (round % 3 === 0) others.push(await join(scene, random.between(5, 40)));
      const leaving = others.splice(random.between(0, others.length - 1), 1)[0];
      if (random.next() < 0.5) await leaving?.kill();
      else expect(await leaving?.stop()).to.equal(0);
      await scene.load.acknowledged(random.between(5, 40));
    });

    expect((await expectHonest(scene)).unknown).to.equal(0);
    for (const other of others) expect(await other.stop()).to.equal(0);
  });

  it('leave every count exact if one freezes past its session and wakes beside its successor', async () => {
    const scene = await open({ onlookers: 'at night' });
    await rounds(1, async () => {
      const zombie = scene.cast.worker;
      await scene.load.acknowledged(random.between(5, 20));
      zombie.signal('SIGSTOP');
      // The successor counts when the session of the frozen worker has expired.
      await scene.replace('worker');
      await scene.counted();
      zombie.signal('SIGCONT');
      await scene.load.acknowledged(20);
      await scene.counted();
      expect(await zombie.stop()).to.equal(0);
    });

    expect((await expectHonest(scene)).unknown).to.equal(0);
  });

  async function join(scene: Scene, batches: number): Promise<ServiceProcess> {
    const worker = await scene.world.fork('worker');
    await scene.load.acknowledged(batches);
    return worker;
  }
});
