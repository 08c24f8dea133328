import {
  type Kafka,
  type TopicPlan,
  createKafka,
  readBrokerVersion,
  readOffsetsAt,
  readTopics,
  readWatermarksSoon,
} from '#core/kafka';
import { judgeTopics, topicPlans } from '../../setup/topics.ts';
import { type Endpoint, certificateCheck } from '../checks/servers/certificate.ts';
import { NOTABLE_MS, SYNCHRONISE } from '../checks/servers/clock.ts';
import { judgeVersion } from '../checks/servers/version.ts';
import type { Installation, Now } from '../installation.ts';
import { type Check, type Examination, type Judgement, fail, ok, warn } from '../finding.ts';

export function kafkaExamination({ config, log, now }: Installation): Examination {
  const { brokers, tls, topics } = config.kafka;
  const kafka = createKafka({ access: config.kafka, clientId: 'flagmeter-doctor', retries: 1, log });
  return {
    engine: 'Kafka',
    checks: [
      { name: 'Kafka', run: async () => judgeVersion('Kafka', await readBrokerVersion(kafka)) },
      { name: 'Kafka clock', run: () => examineClock(kafka, topics.counts, now) },
      ...topicPlans(config).map((plan): Check => ({
        name: `topic ${plan.topic}`,
        run: () => examineTopic(kafka, plan, brokers.join()),
      })),
      ...(tls === undefined
        ? []
        : [certificateCheck('Kafka', { endpoints: brokers.map(endpointOf), tls }, now)]),
    ],
    close: () => Promise.resolve(), // each request has closed its connection
  };
}

/**
 * Kafka reports its time only with stored messages. So this finds a broker that is ahead, and none that is behind: the topic
 * then has messages from the future of this host.
 */
async function examineClock(kafka: Kafka, topic: string, now: Now): Promise<Judgement> {
  const ends = await readWatermarksSoon(kafka, topic);
  const ahead = await readOffsetsAt(kafka, topic, now() + NOTABLE_MS);
  const isAhead = [...ends].some(([partition, { high }]) => (ahead.get(partition) ?? high) < high);
  return isAhead
    ? warn(
        `Messages of ${topic} are more than ${NOTABLE_MS / 1000} s ahead of the clock of this host.`,
        SYNCHRONISE,
      )
    : ok(
        `No message of ${topic} is ahead of the clock of this host; a broker that is behind is not noticed.`,
      );
}

async function examineTopic(kafka: Kafka, plan: TopicPlan, address: string): Promise<Judgement> {
  const { topic } = plan;
  if (!(await readTopics(kafka)).has(topic))
    return fail(`The topic ${topic} does not exist.`, 'Run flagmeter migrate.');
  const [judged] = await judgeTopics(kafka, [plan], address);
  if (judged === undefined) throw new Error('Kafka does not describe the topic');
  const { found, change, problems } = judged;
  // A problem ends with a command, which a full stop would spoil.
  if (problems.length > 0)
    return fail(
      'An operator must correct its settings or its replicas.',
      `Do this, and run flagmeter migrate. ${problems.join('; ')}`,
    );
  const differences = [
    ...(change.partitions === undefined ? [] : [`${found.replicas.length} of ${plan.partitions} partitions`]),
    ...Object.entries(change.config).map(
      ([name, value]) => `${name}=${found.config[name] ?? ''} instead of ${value}`,
    ),
  ];
  if (differences.length > 0)
    return fail(`The topic has ${differences.join(', ')}.`, 'Run flagmeter migrate, which corrects this.');
  return ok(
    `Its settings are as flagmeter needs them; partitions: ${found.replicas.length}, replicas: ${Math.min(...found.replicas.map((ids) => ids.length))}.`,
  );
}

function endpointOf(broker: string): Endpoint {
  const [host = '', port] = broker.split(':');
  return { host, port: Number(port) };
}
