import { freePort, listenOnce } from './free-port.ts';
import { StackError } from './stack-error.ts';

export type StackPorts = {
  readonly kafka: number;
  readonly kafkaController: number;
  readonly clickhouse: number;
  readonly postgres: number;
  readonly redis: number;
};

/** The ports a stack is meant to have: the defaults, unless the environment names others. */
export function readPorts(environment: NodeJS.ProcessEnv): StackPorts {
  const kafka = parsePort('KAFKA_PORT', environment['KAFKA_PORT'] ?? '19092');
  return {
    kafka,
    kafkaController: kafka + 1,
    clickhouse: parsePort('CLICKHOUSE_PORT', environment['CLICKHOUSE_PORT'] ?? '18123'),
    postgres: parsePort('POSTGRES_PORT', environment['POSTGRES_PORT'] ?? '15432'),
    redis: parsePort('REDIS_PORT', environment['REDIS_PORT'] ?? '16379'),
  };
}

/** The ports as arguments of a command line; `portsFromList` is the way back. */
export function portList({ kafka, kafkaController, clickhouse, postgres, redis }: StackPorts): number[] {
  return [kafka, kafkaController, clickhouse, postgres, redis];
}

export function portsFromList(ports: readonly number[]): StackPorts {
  const [kafka = 0, kafkaController = 0, clickhouse = 0, postgres = 0, redis = 0] = ports;
  return { kafka, kafkaController, clickhouse, postgres, redis };
}

/** Five ports that nothing listens on. */
export async function findFreePorts(): Promise<StackPorts> {
  const ports = new Set<number>();
  while (ports.size < 5) ports.add(await freePort());
  return portsFromList([...ports]);
}

/** Refuses, by name, the first port that something already listens on. */
export async function assertStackPortsFree(ports: StackPorts): Promise<void> {
  await assertPortFree(ports.kafka, 'Kafka');
  await assertPortFree(ports.kafkaController, 'the controller of Kafka');
  await assertPortFree(ports.clickhouse, 'ClickHouse');
  await assertPortFree(ports.postgres, 'Postgres');
  await assertPortFree(ports.redis, 'Redis');
}

const variables = {
  Kafka: 'KAFKA_PORT',
  'the controller of Kafka': 'KAFKA_PORT',
  ClickHouse: 'CLICKHOUSE_PORT',
  Postgres: 'POSTGRES_PORT',
  Redis: 'REDIS_PORT',
} as const;

export async function assertPortFree(port: number, user: keyof typeof variables): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    const reason = `port ${port} for ${user} is taken; set ${variables[user]} or stop what listens there`;
    throw new StackError('port-taken', reason, { cause: error });
  }
}

function parsePort(variable: string, text: string): number {
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1024 || port > 65_534) {
    throw new StackError('port-invalid', `${variable} must be a port from 1024 to 65534, not "${text}"`);
  }
  return port;
}
