import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { setTopicConfig } from '../../../support/stack/engines/kafka/topic-config.ts';
import { eventually } from '../../../support/eventually.ts';
import { readGauge } from '../../../support/stack/processes/gauges.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

const LARGE = bodyOf({
  metrics: Array.from({ length: 200 }, (_, index) =>
    aFreshMetric({ featureName: `large-feature-${index}`, yes: 1 }),
  ),
});
const SMALL = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] });

describe('a message that is too large for its topic', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  let ingest: Service;

  before(async () => {
    await limitCounts('2000');
    ingest = await startCounting(world);
  });

  it('gets 503 at once, and other messages get 202', async () => {
    const bodies = Array.from({ length: 30 }, (_, index) => (index % 10 === 5 ? LARGE : SMALL));
    const answers = await Promise.all(bodies.map((body) => post(ingest, { body })));

    expect(answers.map(({ status }) => status)).to.deep.equal(
      bodies.map((body) => (body === LARGE ? 503 : 202)),
    );
  });

  it('never opens the breaker, however often it is sent', async () => {
    for (let i = 0; i < 20; i += 1) expect((await post(ingest, { body: LARGE })).status).to.equal(503);

    expect(
      await readGauge(ingest, `flagmeter_breaker_open{topic="${world.config.kafka.topics.counts}"}`),
    ).to.equal(0);
    expect((await fetch(`${ingest.url}/ready`)).status).to.equal(200);
    expect((await post(ingest, { body: SMALL })).status).to.equal(202);
  });

  it('is stored after the limit of the topic is raised', async () => {
    await limitCounts('1048588');
    // The broker applies a limit some time after it has answered. Until then it refuses, and nothing is stored.
    const sendLarge = async () => (await post(ingest, { body: LARGE })).status;
    await eventually(sendLarge, (status) => status === 202);
    const { total } = await world.settled();
    expect(total).to.include({ received: 27 + 1 + 200, counted: 27 + 1 + 200 });
  });

  async function limitCounts(bytes: string): Promise<void> {
    await setTopicConfig(world, world.config.kafka.topics.counts, {
      name: 'max.message.bytes',
      value: bytes,
    });
  }
});
