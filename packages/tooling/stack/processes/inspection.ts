import { connect } from 'node:net';
import { filesOf, filesOfStack } from '../layout.ts';
import { type StackAddresses, portOf, readAddresses } from './addresses.ts';
import { findRecorded } from './processes.ts';

export type StackInspection = {
  /** The process id of the supervisor, if it runs. */
  readonly supervisorPid: number | undefined;
  readonly engines: readonly EngineInspection[];
};

export type EngineInspection = {
  readonly name: string;
  readonly address: string | undefined;
  readonly pid: number | undefined;
  /** Our process runs, its starter found it ready, and its port accepts connections. */
  readonly isServing: boolean;
};

const engineAddresses = {
  kafka: 'KAFKA_BROKERS',
  clickhouse: 'CLICKHOUSE_URL',
  postgres: 'DATABASE_URL',
} as const satisfies Record<string, keyof StackAddresses>;

/** Inspects the stack of a directory from the outside and changes nothing. */
export async function inspectStack(directory: string): Promise<StackInspection> {
  const supervisor = await findRecorded(filesOf(directory, 'supervisor').pid);
  const addresses = await readAddresses(filesOfStack(directory).environment);
  const engines = Object.entries(engineAddresses).map(async ([name, key]): Promise<EngineInspection> => {
    const address = addresses?.[key];
    const recorded = await findRecorded(filesOf(directory, name).pid);
    const isServing =
      recorded?.isReady === true && address !== undefined && (await acceptsConnections(portOf(address)));
    return { name, address, pid: recorded?.pid, isServing };
  });
  return { supervisorPid: supervisor?.pid, engines: await Promise.all(engines) };
}

function acceptsConnections(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 });
    const finish = (isAccepting: boolean) => {
      socket.destroy();
      resolve(isAccepting);
    };
    socket.once('connect', () => {
      finish(true);
    });
    socket.once('error', () => {
      finish(false);
    });
    socket.once('timeout', () => {
      finish(false);
    });
  });
}
