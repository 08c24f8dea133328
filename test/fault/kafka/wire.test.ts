import { expect } from 'chai';
import { itNightly } from '../../support/nightly.ts';
import { loseAnInsertAnswer } from '../../support/stories/faults/lost-answers.ts';
import { startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import { describeStory } from '../../support/stories/story.ts';

describeStory('6 wire', ({ random, rounds, open, expectHonest }) => {
  itNightly(
    'between the worker and ClickHouse that loses answers to INSERTs leaves every count exact',
    async () => {
      let target = 0;
      const wire = await startTcpProxy(() => target);
      const wired = { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` };
      try {
        const scene = await open({
          envOf: { worker: wired },
          onWorld: ({ config }) => {
            target = Number(new URL(config.clickhouse.url).port);
          },
        });
        await rounds(1, async () => {
          await scene.load.acknowledged(random.between(5, 40));
          wire.delay(random.between(50, 500));
          await scene.counted();
          await loseAnInsertAnswer(scene, wire);
        });

        expect((await expectHonest(scene)).unknown).to.equal(0);
      } finally {
        await wire.close();
      }
    },
  );

  itNightly(
    'between relays and ingest that loses answers makes relays repeat the same bytes, which count once',
    async () => {
      let target = 0;
      const wire = await startTcpProxy(() => target);
      try {
        const scene = await open({
          load: { url: () => `http://127.0.0.1:${wire.port}` },
          onCast: ({ ingest }) => {
            target = Number(new URL(ingest.url).port);
          },
        });
        await rounds(1, async () => {
          await scene.load.acknowledged(random.between(5, 40));
          wire.delay(random.between(50, 500));
          await scene.load.acknowledged(random.between(5, 20));
          wire.swallowAnswers();
          await wire.swallowed();
          await wire.cut();
          await wire.mend();
        });
        await scene.load.acknowledged(20);

        const { acknowledged, requests } = await expectHonest(scene);
        expect(acknowledged).to.equal(requests);
        const { total } = await scene.world.settled();
        expect(total.duplicate).to.be.greaterThan(0);
      } finally {
        await wire.close();
      }
    },
  );
});
