import { expect } from 'chai';
import { Kafka, logLevel } from 'kafkajs';
import { createMissingTopics } from '#core/kafka';

const PLANS = ['counts', 'applications', 'dead-letters'].map((topic) => ({
  topic,
  partitions: 1,
  replicationFactor: 3,
  config: {},
}));

describe('missing topics', () => {
  it('are all created even if one of the brokers does not know the new topics yet', async () => {
    const { kafka, created } = aClusterWithALateBroker();

    await createMissingTopics(kafka, PLANS);

    expect(created).to.deep.equal(PLANS.map(({ topic }) => topic));
  });
});

/**
 * The admin client of kafkajs for two brokers. Topics are created by way of the one that does not know the new topics yet. Like
 * kafkajs, it asks that broker for every topic that was asked for before, and creates nothing if one of these is unknown.
 */
function aClusterWithALateBroker() {
  const kafka = new Kafka({ brokers: ['127.0.0.1:1'], logLevel: logLevel.NOTHING });
  const created: string[] = [];
  const asked = new Set<string>();
  const admin = Object.assign(kafka.admin(), {
    connect: () => Promise.resolve(),
    disconnect: () => Promise.resolve(),
    createTopics({ topics }: { topics: { topic: string }[] }) {
      if (asked.size > 0)
        return Promise.reject(Object.assign(new Error('not hosted'), { type: 'UNKNOWN_TOPIC_OR_PARTITION' }));
      for (const { topic } of topics) created.push(topic);
      return Promise.resolve(true);
    },
    fetchTopicMetadata({ topics = [] }: { topics?: string[] } = {}) {
      for (const topic of topics) asked.add(topic);
      const partitions = [{ partitionErrorCode: 0, partitionId: 0, leader: 1, replicas: [], isr: [] }];
      return Promise.resolve({ topics: topics.map((name) => ({ name, partitions })) });
    },
    fetchTopicOffsets: () => Promise.resolve([{ partition: 0, offset: '0', low: '0', high: '0' }]),
  });
  return { kafka: Object.assign(kafka, { admin: () => admin }), created };
}
