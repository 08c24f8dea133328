import { type Engine, freePort, startKafka } from '#tooling/stack';

export type KafkaCluster = {
  /** Value of KAFKA_BROKERS: the addresses of all brokers, comma separated. */
  readonly address: string;
  readonly brokers: readonly Engine[];
  /** Restarts the broker at this index of `ports` with its data, after it was killed. */
  restart(index: number): Promise<Engine>;
  stop(): Promise<void>;
};

export type KafkaClusterOptions = {
  readonly directory: string;
  readonly ports: readonly number[];
  readonly settings?: Readonly<Record<string, string>>;
};

/**
 * One broker per port, each also a controller. With three brokers, topics have three replicas and min.insync.replicas
 * is 2.
 */
export async function startKafkaCluster({
  directory,
  ports,
  settings,
}: KafkaClusterOptions): Promise<KafkaCluster> {
  const nodes: Node[] = [];
  for (const port of ports) nodes.push({ id: nodes.length + 1, port, controllerPort: await freePort() });
  const voters = nodes.map(({ id, controllerPort }) => `${id}@127.0.0.1:${controllerPort}`);
  const replicas = String(Math.min(3, nodes.length));
  const start = ({ id, port, controllerPort }: Node) =>
    startKafka({
      directory,
      name: `kafka-${id}`,
      nodeId: id,
      port,
      controllerPort,
      voters,
      settings: {
        'default.replication.factor': replicas,
        'offsets.topic.replication.factor': replicas,
        'transaction.state.log.replication.factor': replicas,
        'min.insync.replicas': nodes.length >= 3 ? '2' : '1',
        ...settings,
      },
    });
  // In parallel, because no broker is ready before most of them are.
  const brokers = await startAll(nodes.map(start));
  return {
    address: nodes.map(({ port }) => `127.0.0.1:${port}`).join(','),
    brokers,
    restart: async (index) => {
      const node = nodes[index];
      if (node === undefined) throw new RangeError(`there is no broker ${index}`);
      await brokers[index]?.stop();
      const broker = await start(node);
      brokers[index] = broker;
      return broker;
    },
    stop: async () => {
      await Promise.all(brokers.map((broker) => broker.stop()));
    },
  };
}

type Node = { readonly id: number; readonly port: number; readonly controllerPort: number };

async function startAll(starting: readonly Promise<Engine>[]): Promise<Engine[]> {
  const outcomes = await Promise.allSettled(starting);
  const started = outcomes.flatMap((outcome) => (outcome.status === 'fulfilled' ? [outcome.value] : []));
  const failed = outcomes.find((outcome) => outcome.status === 'rejected');
  if (failed === undefined) return started;
  await Promise.all(started.map((broker) => broker.stop()));
  throw failed.reason;
}
