import { rm } from 'node:fs/promises';
import { startClickHouse } from './engines/clickhouse.ts';
import type { EngineSettings } from './engines/engine-settings.ts';
import { startKafka } from './engines/kafka.ts';
import { keepAlive } from './engines/keeper.ts';
import { startPostgres } from './engines/postgres/postgres.ts';
import type { Report } from './install/install-once.ts';
import { filesOf, filesOfStack } from './layout.ts';
import { localSettings } from './local-settings.ts';
import { type StackAddresses, writeVariables } from './processes/addresses.ts';
import { readPasswords } from './processes/passwords.ts';
import type { StackPorts } from './processes/ports.ts';
import { readCommandLine, recordProcess } from './processes/processes.ts';

export type SupervisorOptions = {
  readonly directory: string;
  readonly ports: StackPorts;
  readonly clickhouseNice: number;
  readonly engines: EngineSettings;
  readonly report: Report;
};

export type Supervisor = { readonly addresses: StackAddresses; stop(): Promise<void> };

/** Starts the engines in parallel and restarts them from this process, until `stop`. */
export async function startSupervisor(options: SupervisorOptions): Promise<Supervisor> {
  const { directory, ports, clickhouseNice: nice, engines, report } = options;
  const ownPidFile = filesOf(directory, 'supervisor').pid;
  const { environment, passwords: passwordsFile } = filesOfStack(directory);
  await recordProcess(ownPidFile, {
    pid: process.pid,
    mark: await readCommandLine(process.pid),
    stopSignal: 'SIGTERM',
    isReady: false,
  });
  const passwords = await readPasswords(passwordsFile);
  const kafka = keepAlive(
    'Kafka',
    () => startKafka({ directory, port: ports.kafka, settings: engines.kafka }),
    report,
  );
  const clickhouse = keepAlive(
    'ClickHouse',
    () =>
      startClickHouse({
        directory,
        port: ports.clickhouse,
        password: passwords.clickhouse,
        nice,
        settings: engines.clickhouse,
      }),
    report,
  );
  const postgres = keepAlive(
    'Postgres',
    () => startPostgres({ directory, port: ports.postgres, passwords }),
    report,
  );
  const keepers = [kafka, clickhouse, postgres];
  const stop = async () => {
    await rm(environment, { force: true });
    await Promise.all(keepers.map((keeper) => keeper.stop()));
    await rm(ownPidFile, { force: true });
  };
  try {
    await Promise.all(keepers.map((keeper) => keeper.ready));
    const addresses = {
      KAFKA_BROKERS: (await kafka.ready).address,
      CLICKHOUSE_URL: (await clickhouse.ready).address,
      CLICKHOUSE_USER: 'owner',
      CLICKHOUSE_PASSWORD: passwords.clickhouse,
      CLICKHOUSE_READER_USER: 'flagmeter_reader',
      CLICKHOUSE_READER_PASSWORD: passwords.clickhouse,
      DATABASE_URL: (await postgres.ready).address,
    };
    await writeVariables(environment, { ...addresses, ...localSettings(process.env) });
    return { addresses, stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** Runs the stack in this process until SIGTERM or SIGINT. A signal during the start takes effect after it. */
export async function superviseUntilSignal(options: SupervisorOptions): Promise<void> {
  const signalled = untilSignal();
  const supervisor = await startSupervisor(options);
  await signalled;
  options.report('stopping');
  await supervisor.stop();
  options.report('stopped');
}

/** Resolves at SIGTERM, SIGINT or the end of the terminal, which do not end this process any more. */
export function untilSignal(): Promise<void> {
  return new Promise((resolve) => {
    // A pending promise does not keep a process alive, and neither does an engine that was given up.
    const heartbeat = setInterval(() => undefined, 60_000);
    for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP'] as const)
      process.on(signal, () => {
        clearInterval(heartbeat);
        resolve();
      });
  });
}
