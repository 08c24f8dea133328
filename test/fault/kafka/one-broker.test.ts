import { chooseSeed } from '../../support/builders/random.ts';
import { type WiredKafka, wiredKafka } from '../../support/stack/engines/kafka/wired-kafka.ts';
import { describeStory } from '../../support/stories/story.ts';
import { testOverload } from './one-broker/overload.ts';
import { SETTLED_MS, testQuotas } from './one-broker/quotas.ts';
import { tellStory } from './one-broker/story.ts';

/** These share the broker, because it takes 5 s of CPU to start. */
describe('one broker of Kafka', () => {
  let kafka: WiredKafka;

  before(async () => {
    kafka = await wiredKafka();
  });
  after(() => kafka.dispose());

  describeStory('3 Kafka, one broker', (story) => {
    tellStory(() => kafka, story);
  });

  describe('ingest in front of a broker', () => {
    testOverload(() => kafka);
  });

  describe(`with quotas (SEED=${chooseSeed()})`, function () {
    this.timeout(2 * SETTLED_MS);
    testQuotas(() => kafka);
  });
});
