import { expect } from 'chai';
import { freePort } from '../../../tools/stack/index.ts';
import { type OwnEngine, ownKafka } from '../../support/engines/own-engines.ts';
import { itNightly } from '../../support/nightly.ts';
import { loseAnInsertAnswer } from '../../support/proxies/lost-answers.ts';
import { type TcpProxy, startTcpProxy } from '../../support/proxies/tcp-proxy.ts';
import { bodyOf, deliver, push, randomMetrics } from '../../support/stories/load.ts';
import { describeStory } from '../../support/stories/story.ts';

describeStory('6 wire', ({ random, rounds, open, expectHonest }) => {
  describe('between ingest and Kafka', () => {
    let kafka: OwnEngine;
    let wire: TcpProxy;

    before(async () => {
      const port = await freePort();
      // Clients connect to the address that the broker advertises, whatever address they were given.
      kafka = await ownKafka({ settings: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}` } });
      wire = await startTcpProxy(() => Number(kafka.address.split(':')[1]), port);
    });
    after(async () => {
      await wire.close();
      await kafka.dispose();
    });
    afterEach(() => wire.mend());

    it('leaves a batch unanswered if its acknowledgement was lost, and counts the repeated batch once', async () => {
      const scene = await open({ env: environment() });
      await scene.load.stop();
      const entry = scene.ledger.open(randomMetrics(random));
      // The loss of another answer, such as that to a read of the worker, might come before the batch was sent.
      wire.swallowAnswers(isProduce);
      const first = push({ url: scene.cast.ingest.url, body: bodyOf(entry), sender: 'sender' });
      await wire.swallowed();
      await wire.cut();

      expect(await first).to.equal('none');
      await wire.mend();
      await deliver(entry, 'sender', () => scene.cast.ingest.url);
      expect(entry.fate).to.equal('acknowledged');
      await expectHonest(scene);
    });

    itNightly(
      'counts exactly the acknowledged batches when it is slow, loses answers and breaks under load',
      async () => {
        const scene = await open({ env: environment() });
        await rounds(1, async () => {
          await scene.load.acknowledged(random.between(5, 40));
          wire.delay(random.between(50, 800));
          await scene.load.acknowledged(random.between(5, 20));
          wire.swallowAnswers();
          await wire.swallowed();
          await wire.cut();
          await wire.mend();
          await scene.load.acknowledged(10);
        });

        await expectHonest(scene);
      },
    );

    function environment(): Record<string, string> {
      return { KAFKA_BROKERS: `127.0.0.1:${wire.port}` };
    }
  });

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

/** Whether it is a request of Kafka's protocol that writes messages: its length in four bytes, then the key 0. */
function isProduce(request: Buffer): boolean {
  return request.length > 6 && request.readInt16BE(4) === 0;
}
