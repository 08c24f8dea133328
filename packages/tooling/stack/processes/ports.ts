import { StackError } from '../stack-error.ts';
import { freePort, listenOnce, reservePort } from './free-port.ts';

/** The default port of each engine. A variable can set another port, and a taken default port is replaced. */
const engines = {
  kafka: { title: 'Kafka', variable: 'KAFKA_PORT', defaultPort: 19_092 },
  clickhouse: { title: 'ClickHouse', variable: 'CLICKHOUSE_PORT', defaultPort: 18_123 },
  postgres: { title: 'Postgres', variable: 'POSTGRES_PORT', defaultPort: 15_432 },
} as const;

type EngineName = keyof typeof engines;
export type StackPorts = Readonly<Record<EngineName, number>>;

/**
 * Ports from the environment, which must be free. Every other engine gets its default port, or any free one if that
 * is taken. Clients read addresses from stack.env, so nothing depends on the number.
 */
export async function choosePorts(
  environment: NodeJS.ProcessEnv,
  report: (line: string) => void,
): Promise<StackPorts> {
  const choose = (engine: EngineName): Promise<number> => {
    const text = environment[engines[engine].variable];
    return text ? useNamedPort(engine, text) : useDefaultPort(engine, report);
  };
  return {
    kafka: await choose('kafka'),
    clickhouse: await choose('clickhouse'),
    postgres: await choose('postgres'),
  };
}

/** Ports on which nothing listens, none of them a default port. */
export async function findFreePorts(): Promise<StackPorts> {
  return {
    kafka: await freePort(),
    clickhouse: await freePort(),
    postgres: await freePort(),
  };
}

async function useNamedPort(engine: EngineName, text: string): Promise<number> {
  const { title, variable } = engines[engine];
  const port = Number(text);
  if (!Number.isInteger(port) || port < 1024 || port > 65_535) {
    throw new StackError('port-invalid', `${variable} must be a port from 1024 to 65535, not "${text}"`);
  }
  await assertPortFree(port, title);
  return port;
}

async function useDefaultPort(engine: EngineName, report: (line: string) => void): Promise<number> {
  const { title, defaultPort } = engines[engine];
  if (await reservePort(defaultPort)) return defaultPort;
  const port = await freePort();
  report(`port ${defaultPort} is taken, so ${title} gets port ${port}`);
  return port;
}

/** The ports as arguments of a command line; `portsFromList` reads them. */
export function portList({ kafka, clickhouse, postgres }: StackPorts): number[] {
  return [kafka, clickhouse, postgres];
}

export function portsFromList(ports: readonly number[]): StackPorts {
  const [kafka = 0, clickhouse = 0, postgres = 0] = ports;
  return { kafka, clickhouse, postgres };
}

/** Throws if something already listens on a port. */
export async function assertPortFree(
  port: number,
  title: (typeof engines)[EngineName]['title'],
): Promise<void> {
  try {
    await listenOnce(port);
  } catch (error) {
    const variable = Object.values(engines).find((engine) => engine.title === title)?.variable ?? '';
    const reason = `port ${port} for ${title} is taken; set ${variable} to another one or stop what listens there`;
    throw new StackError('port-taken', reason, { cause: error });
  }
}
