import { expect } from 'chai';
import type { TopicPlan, TopicState } from '#core/kafka';
import { judgeTopic } from '../../../../../packages/tooling/operations/setup/judge-topic.ts';

const PLAN: TopicPlan = {
  topic: 'f.counts',
  partitions: 2,
  replicationFactor: 1,
  config: {
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': '1048588',
    'min.insync.replicas': '1',
    'retention.ms': '1000',
    'retention.bytes': '-1',
  },
};
const FOUND: TopicState = {
  topic: 'f.counts',
  replicas: [[1], [2]],
  config: { ...PLAN.config, 'flush.ms': '7' },
};
const CLUSTER = { address: 'kafka:9092', brokers: [1, 2, 3] };

describe('judgeTopic', () => {
  it('leaves a topic unchanged if it has the planned values, or more', () => {
    const more = { 'max.message.bytes': '9999999', 'min.insync.replicas': '1' };
    for (const found of [
      FOUND,
      { ...FOUND, replicas: [[1], [2], [3]], config: { ...FOUND.config, ...more } },
    ])
      expect(judgeTopic(PLAN, found, CLUSTER)).to.deep.equal({
        change: { topic: 'f.counts', partitions: undefined, config: {} },
        problems: [],
      });
  });

  it('changes only settings that lose nothing', () => {
    const config = {
      'message.timestamp.type': 'CreateTime',
      'max.message.bytes': '2000',
      'min.insync.replicas': '0',
      'retention.ms': '999',
      'retention.bytes': '5000',
    };
    const { change, problems } = judgeTopic(PLAN, { ...FOUND, replicas: [[1]], config }, CLUSTER);
    expect(change).to.deep.equal({ topic: 'f.counts', partitions: 2, config: PLAN.config });
    expect(problems).to.deep.equal([]);
  });

  it('leaves the deletion of messages to the operator', () => {
    for (const kept of ['1001', '-1']) {
      const found = { ...FOUND, config: { ...FOUND.config, 'retention.ms': kept } };
      const { change, problems } = judgeTopic(PLAN, found, CLUSTER);
      expect(change.config).to.deep.equal({});
      expect(problems).to.deep.equal([
        `The topic f.counts has retention.ms=${kept} instead of 1000, and reducing it deletes messages, counted or not: kafka-configs.sh --bootstrap-server kafka:9092 --alter --topic f.counts --add-config retention.ms=1000`,
      ]);
    }
  });

  it('leaves the move of replicas to the operator, and names the target', () => {
    const { problems } = judgeTopic({ ...PLAN, replicationFactor: 2 }, FOUND, CLUSTER);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(/^The topic f\.counts has 1 replicas of a partition instead of 2: echo '/);
    const json: unknown = JSON.parse(/'(.*)'/.exec(problems[0] ?? '')?.[1] ?? '');
    expect(json).to.deep.equal({
      version: 1,
      partitions: [
        { topic: 'f.counts', partition: 0, replicas: [1, 2] },
        { topic: 'f.counts', partition: 1, replicas: [2, 3] },
      ],
    });
  });

  it('reports too few brokers for the planned replicas', () => {
    const { problems } = judgeTopic({ ...PLAN, replicationFactor: 4 }, FOUND, CLUSTER);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.include('the cluster has only 3 brokers');
  });

  it('refuses more in-sync replicas than replicas', () => {
    const found = { ...FOUND, config: { ...FOUND.config, 'min.insync.replicas': '2' } };
    const { problems } = judgeTopic(PLAN, found, CLUSTER);
    expect(problems).to.have.length(1);
    expect(problems[0]).to.match(
      /min\.insync\.replicas=2 but only 1 replicas, .*--add-config min\.insync\.replicas=1$/,
    );
  });
});
