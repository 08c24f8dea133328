import { expect } from 'chai';
import { isNight, itNightly } from '../../support/nightly.ts';
import type { ServiceProcess } from '../../support/stack/processes/process.ts';
import type { Preload } from '../../support/stack/processes/programs.ts';
import { loseAnInsertAnswer } from '../../support/stories/faults/lost-answers.ts';
import { startTcpProxy } from '../../support/stack/proxies/tcp-proxy.ts';
import type { LedgerResult } from '../../support/stories/ledger.ts';
import type { Scene } from '../../support/stories/scene.ts';
import { describeStory } from '../../support/stories/story.ts';

/** Checks that the suite can fail: a rule of counting is broken inside a process, and a story must report it. */
for (const sabotage of isNight() ? ([undefined, 'drop-intents'] as const) : []) {
  describeStory(nameOf('intents', sabotage), ({ random, rounds, open, record }) => {
    it(`${sabotage ? 'makes a' : 'makes no'} worker that dies during an INSERT count twice`, async () => {
      const preloads = preloadsOf(sabotage);
      let target = 0;
      const wire = await startTcpProxy(() => target);
      try {
        const scene = await open({
          // One partition only. With several, the worker may die between the INSERT and the commit of another one,
          // and dropped intents would stop it.
          env: { KAFKA_COUNTS_PARTITIONS: '1' },
          envOf: { worker: { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` } },
          preloadsOf: { worker: preloads },
          onWorld: ({ config }) => {
            target = Number(new URL(config.clickhouse.url).port);
          },
        });
        await rounds(1, async () => {
          await scene.load.acknowledged(random.between(5, 40));
          wire.holdRequests();
          await wire.held();
          await scene.cast.worker.kill();
          await expectInPlace(scene.cast.worker, sabotage, 'dropped an intent');
          await scene.load.acknowledged(random.between(5, 40));
          await scene.replace('worker', { preloads });
          await scene.countedEverywhere();
          // The successor has moved on when the INSERT of the dead worker arrives.
          wire.releaseRequests();
          await scene.counted();
        });

        expectDoubled(await examine(scene, record), sabotage);
      } finally {
        await wire.close();
      }
    });
  });
}

// The stories of the wire and of kill -9 test a healthy worker and a healthy ingest in these two cases.
describeStory(nameOf('deduplication', 'no-deduplication'), ({ rounds, open, record }) => {
  it('makes a worker count twice after a lost answer to an INSERT', async () => {
    let target = 0;
    const wire = await startTcpProxy(() => target);
    try {
      const scene = await open({
        onlookers: 'at night',
        envOf: { worker: { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` } },
        preloadsOf: { worker: ['no-deduplication'] },
        onWorld: ({ config }) => {
          target = Number(new URL(config.clickhouse.url).port);
        },
      });
      await rounds(1, async () => {
        await loseAnInsertAnswer(scene, wire);
      });
      await expectInPlace(scene.cast.worker, 'no-deduplication', 'inserted without deduplication');

      expectDoubled(await examine(scene, record), 'no-deduplication');
    } finally {
      await wire.close();
    }
  });
});

describeStory(nameOf('acks from Kafka', 'acknowledge-early'), ({ random, rounds, open, record }) => {
  itNightly('makes an ingest that dies lose what it has acknowledged', async () => {
    const preloads = ['acknowledge-early'] as const;
    const scene = await open({ preloadsOf: { ingest: preloads } });
    await rounds(1, async () => {
      await scene.load.acknowledged(random.between(10, 40));
      await scene.cast.ingest.kill();
      await expectInPlace(scene.cast.ingest, 'acknowledge-early', 'acknowledged before Kafka');
      await scene.replace('ingest', { preloads });
      await scene.load.acknowledged(10);
    });

    expect((await examine(scene, record)).lost).to.be.greaterThan(0);
  });
});

function nameOf(rule: string, sabotage: Preload | undefined): string {
  return `self-check ${sabotage === undefined ? 'with' : 'without'} ${rule}`;
}

function preloadsOf(sabotage: Preload | undefined): Preload[] {
  return sabotage === undefined ? [] : [sabotage];
}

async function examine(scene: Scene, record: (result: LedgerResult) => void): Promise<LedgerResult> {
  await scene.load.stop();
  const result = await scene.ledger.examine(scene.world);
  record(result);
  return result;
}

function expectDoubled({ doubled, lost, problems }: LedgerResult, sabotage: Preload | undefined): void {
  expect(lost).to.equal(0);
  if (sabotage === undefined) expect(problems).to.deep.equal([]);
  else expect(doubled).to.be.greaterThan(0);
}

/** Fails if the sabotage never took effect, because the test would prove nothing. */
async function expectInPlace(
  process: ServiceProcess,
  sabotage: Preload | undefined,
  line: string,
): Promise<void> {
  const log = await process.readLog();
  if (sabotage === undefined) expect(log).not.to.include('preload:');
  else expect(log).to.include(`preload: ${line}`);
}
