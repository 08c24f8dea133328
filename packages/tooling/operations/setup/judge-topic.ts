import type { TopicChange, TopicPlan, TopicState } from '#core/kafka';

export type Cluster = {
  /** The address for Kafka's own tools. */
  readonly address: string;
  readonly brokers: readonly number[];
};

/**
 * The change that makes a topic match its plan, and the problems that an operator must fix: one sentence each, with the
 * command.
 */
export type TopicJudgement = { readonly change: TopicChange; readonly problems: readonly string[] };

/** Settings that may exceed the plan: an operator may have reasons, and no promise needs less. */
const AT_LEAST: ReadonlySet<string> = new Set(['min.insync.replicas', 'max.message.bytes']);
/** Settings that delete messages when they are reduced. -1 means for ever. */
const KEEPING: ReadonlySet<string> = new Set(['retention.ms', 'retention.bytes']);

/**
 * Compares a topic with its plan. A change must lose no message and break no promise: other settings, or more partitions, which
 * ingest uses only after it is configured for them. Anything that may lose messages, or that moves data between brokers, is a
 * problem.
 */
export function judgeTopic(plan: TopicPlan, found: TopicState, cluster: Cluster): TopicJudgement {
  const wrong = Object.entries(plan.config).filter(
    ([name, value]) => !holds(name, value, found.config[name]),
  );
  const shortening = wrong.filter(([name, value]) => KEEPING.has(name) && isMore(found.config[name], value));
  return {
    change: {
      topic: plan.topic,
      partitions: plan.partitions > found.replicas.length ? plan.partitions : undefined,
      config: Object.fromEntries(wrong.filter((entry) => !shortening.includes(entry))),
    },
    problems: [
      ...shortening.map((entry) => shorteningProblem(plan.topic, entry, { found, cluster })),
      ...replicaProblems(plan, found, cluster),
    ],
  };
}

function holds(name: string, planned: string, found: string | undefined): boolean {
  return found === planned || (AT_LEAST.has(name) && Number(found) > Number(planned));
}

function isMore(found: string | undefined, planned: string): boolean {
  return planned !== '-1' && (found === '-1' || Number(found) > Number(planned));
}

function shorteningProblem(
  topic: string,
  [name, value]: readonly [string, string],
  { found, cluster }: { found: TopicState; cluster: Cluster },
): string {
  return `The topic ${topic} has ${name}=${found.config[name] ?? ''} instead of ${value}, and reducing it deletes messages, counted or not: ${alterCommand(cluster, topic, `${name}=${value}`)}`;
}

function replicaProblems(
  plan: TopicPlan,
  { topic, replicas, config }: TopicState,
  cluster: Cluster,
): string[] {
  const fewest = Math.min(...replicas.map((ids) => ids.length));
  if (fewest < plan.replicationFactor)
    return [
      `The topic ${topic} has ${fewest} replicas of a partition instead of ${plan.replicationFactor}: ${reassignCommand(plan, replicas, cluster)}`,
    ];
  const inSync = Number(config['min.insync.replicas']);
  if (inSync <= fewest) return [];
  const command = alterCommand(cluster, topic, `min.insync.replicas=${fewest}`);
  return [
    `The topic ${topic} has min.insync.replicas=${inSync} but only ${fewest} replicas, so it cannot store messages: ${command}`,
  ];
}

function alterCommand({ address }: Cluster, topic: string, setting: string): string {
  return `kafka-configs.sh --bootstrap-server ${address} --alter --topic ${topic} --add-config ${setting}`;
}

/** Keeps the existing replicas, the leader first, and adds brokers in turn. */
function reassignCommand(
  { topic, replicationFactor }: TopicPlan,
  replicas: TopicState['replicas'],
  { address, brokers }: Cluster,
): string {
  if (brokers.length < replicationFactor)
    return `the cluster has only ${brokers.length} brokers, so start more of them or lower KAFKA_REPLICATION_FACTOR.`;
  const partitions = replicas.map((ids, partition) => {
    const others = brokers.filter((id) => !ids.includes(id));
    const turned = [
      ...others.slice(partition % (others.length || 1)),
      ...others.slice(0, partition % (others.length || 1)),
    ];
    return {
      topic,
      partition,
      replicas: [...ids, ...turned].slice(0, Math.max(replicationFactor, ids.length)),
    };
  });
  const json = JSON.stringify({ version: 1, partitions });
  return `echo '${json}' > reassign.json && kafka-reassign-partitions.sh --bootstrap-server ${address} --reassignment-json-file reassign.json --execute`;
}
