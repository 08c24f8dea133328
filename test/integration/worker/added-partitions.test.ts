import { expect } from 'chai';
import { createKafka, readWatermarks } from '#core/kafka';
import { setUp } from '#tooling/operations';
import { readConfig } from '#base/runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { startWorker } from '../../../services/worker/index.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { usageOf } from '../../support/stories/counting.ts';
import { sharedWorld } from '../../support/world.ts';

const MANY = 20;

describe('partitions that are added while all services run', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });

  before(async () => {
    await world.run((config, log) =>
      startWorker(config, log, (error) => {
        throw error;
      }),
    );
  });

  it('are not used by ingest, even after a restart, so that a retry meets its first try', async () => {
    const first = await world.run(startIngest);
    await sendAll(first.url);
    await setUp(withPartitions('8'), world.log);
    const restarted = await world.run(startIngest);
    await sendAll(restarted.url);
    await sendAll(first.url);
    await world.settled();

    expect(await usageOf(world, 'f')).to.deep.equal({ yes: MANY, no: 0, reports: MANY });
    const ends = [...(await readEnds())].filter(([, { high }]) => high > 0n);
    expect(ends.map(([partition]) => partition)).to.deep.equal([0]);
  });

  it('are used if the setting says so, and counted by the running worker', async () => {
    const ingest = await world.run((_, log) => startIngest(withPartitions('8'), log));
    await sendAll(ingest.url, 'later');
    const { total } = await world.settled();

    expect([...(await readEnds()).values()].filter(({ high }) => high > 0n).length).to.be.greaterThan(2);
    expect(await usageOf(world, 'f')).to.deep.equal({ yes: 2 * MANY, no: 0, reports: 2 * MANY });
    expect(total).to.include({ counted: 2 * MANY });
  });

  it('are awaited by an ingest whose setting names more partitions than the topic has', async () => {
    const ingest = await startIngest(withPartitions('9'), world.log);
    expect((await fetch(`${ingest.url}/ready`)).status).to.equal(503);
    await setUp(withPartitions('9'), world.log);
    await eventually(
      async () => (await fetch(`${ingest.url}/ready`)).status,
      (status) => status === 200,
    );
    await ingest.stop();
  });

  function withPartitions(count: string) {
    return readConfig({ ...world.env, KAFKA_COUNTS_PARTITIONS: count });
  }

  /** Batches with a key each, identical whenever they are sent. */
  async function sendAll(url: string, run = 'first'): Promise<void> {
    for (let i = 0; i < MANY; i += 1) {
      const body = bodyOf({ metrics: [aFreshMetric({ featureName: 'f', yes: 1 })] });
      const { status } = await post({ url }, { body, headers: { 'idempotency-key': `${run} ${i}` } });
      expect(status).to.equal(202);
    }
  }

  function readEnds() {
    const kafka = createKafka({ access: world.config.kafka, clientId: 'test', retries: 5, log: world.log });
    return readWatermarks(kafka, world.config.kafka.topics.counts);
  }
});
