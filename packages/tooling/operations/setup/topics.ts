import { longestMessageBytes, type Config, FlagmeterError, type Log } from '#base/runtime';
import { type Kafka, type TopicPlan, type TopicState, changeTopic, readTopicStates } from '#core/kafka';
import { type TopicJudgement, judgeTopic } from './judge-topic.ts';

/** Kafka's default. It is the minimum here, because a group of small messages needs part of it, whatever MAX_BODY_BYTES is. */
const MIN_MESSAGE_BYTES = 1_048_588;
/** The bytes that Kafka adds to a message, and that the worker adds to a dead letter. */
const WRAPPING_BYTES = 4096;

export function topicPlans({ kafka, ingest }: Config): TopicPlan[] {
  const { replicationFactor, topics } = kafka;
  const messageBytes = longestMessageBytes(ingest.maxBodyBytes) + WRAPPING_BYTES;
  const config = {
    'min.insync.replicas': String(kafka.minInsyncReplicas),
    'retention.ms': String(kafka.retentionMs),
    'retention.bytes': '-1',
    'cleanup.policy': 'delete',
    // The worker needs the time of the broker, which it trusts more than the clocks of ingest processes.
    'message.timestamp.type': 'LogAppendTime',
    'max.message.bytes': String(Math.max(messageBytes, MIN_MESSAGE_BYTES)),
  };
  return [
    { topic: topics.counts, partitions: kafka.countsPartitions, replicationFactor, config },
    { topic: topics.applications, partitions: kafka.applicationsPartitions, replicationFactor, config },
    { topic: topics.relayReports, partitions: 1, replicationFactor, config },
    { topic: topics.deadLetters, partitions: 1, replicationFactor, config },
  ];
}

export type JudgedTopic = TopicJudgement & { readonly found: TopicState };

/** Compares existing topics with their plans. `address` is for the commands in the problems. */
export async function judgeTopics(
  kafka: Kafka,
  plans: readonly TopicPlan[],
  address: string,
): Promise<JudgedTopic[]> {
  const { states, brokers } = await readTopicStates(
    kafka,
    plans.map(({ topic }) => topic),
  );
  return plans.flatMap((plan) =>
    states
      .filter(({ topic }) => topic === plan.topic)
      .map((found) => ({ found, ...judgeTopic(plan, found, { address, brokers }) })),
  );
}

/**
 * Changes existing topics to match their plans. If an operator must act on any of them, it changes nothing and throws an error
 * that says so.
 */
export async function mendTopics(
  kafka: Kafka,
  plans: readonly TopicPlan[],
  { config, log }: { readonly config: Config; readonly log: Log },
): Promise<void> {
  if (plans.length === 0) return;
  const judgements = await judgeTopics(kafka, plans, config.kafka.brokers.join());
  const problems = judgements.flatMap((judgement) => judgement.problems);
  if (problems.length > 0) throw new FlagmeterError('topics', problems.join('\n'));
  for (const { change } of judgements) {
    if (change.partitions === undefined && Object.keys(change.config).length === 0) continue;
    await changeTopic(kafka, change);
    log.info({ change }, 'topic changed');
  }
}
