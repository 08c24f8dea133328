import { execFile } from 'node:child_process';
import { chmod, mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import {
  type ClickHouseOptions,
  type Engine,
  type KafkaCluster,
  type KafkaOptions,
  type PgBouncerOptions,
  type PostgresOptions,
  PASSABLE,
  descendantsOf,
  freePort,
  prepareEngines,
  prepareS3,
  settingsOfTests,
  startClickHouse,
  startKafka,
  startKafkaCluster,
  startPgBouncer,
  startPostgres,
  startRedis,
  startS3,
} from '../../../../tools/stack/index.ts';
import { eventually } from '../../eventually.ts';
import { untilEndOfFile } from '../../left-behind.ts';
import { type SmallDisk, mountSmallDisk } from './clickhouse/small-disk.ts';

/** An engine that belongs to one test file, which may damage it. */
export type OwnEngine = {
  readonly address: string;
  /** Sends SIGKILL and waits for the end. */
  kill(): Promise<void>;
  /** Stops the engine in order. */
  stop(): Promise<void>;
  /** Restarts the engine with its data and port. */
  restart(): Promise<void>;
  /** Sends SIGSTOP and waits until it takes effect: on a busy machine the engine runs on for a moment. */
  freeze(): Promise<void>;
  thaw(): void;
  /** Thaws the engine, or restarts it if it was killed. For hooks after a test that may have failed halfway. */
  revive(): Promise<void>;
  /** Stops the engine and deletes its data. */
  dispose(): Promise<void>;
};

type OwnKafkaOptions = Pick<KafkaOptions, 'settings' | 'listeners' | 'scramUsers'>;

export async function ownKafka(options: OwnKafkaOptions = {}): Promise<OwnEngine> {
  const ports = { port: await freePort(), controllerPort: await freePort() };
  return endingAtOnce(await own((directory) => startKafka({ directory, ...ports, ...options })));
}

/** Nobody needs its data any more, and to stop in order takes a JVM a second of CPU. */
export function endingAtOnce(engine: OwnEngine): OwnEngine {
  return {
    ...engine,
    async dispose() {
      await engine.kill();
      await engine.dispose();
    },
  };
}

/** The engine's data lies on a small disk that a test can fill, if we may mount one. */
export type OwnClickHouse = OwnEngine & {
  readonly disk: SmallDisk | undefined;
  /** The settings of a world that uses this engine. */
  readonly access: Readonly<Record<string, string>>;
};

const PASSWORD = 'of-one-test';

export async function ownClickHouse(options: Pick<ClickHouseOptions, 'bucket'> = {}): Promise<OwnClickHouse> {
  const port = await freePort();
  const parent = await ownDirectory();
  const disk = await mountSmallDisk(parent, CLICKHOUSE_DISK_MIB);
  const { clickhouse: settings } = settingsOfTests();
  const engine = await own(
    (directory) => startClickHouse({ directory, port, password: PASSWORD, settings, ...options }),
    parent,
  );
  return untilEndOfFile({
    ...engine,
    disk,
    access: {
      CLICKHOUSE_URL: engine.address,
      CLICKHOUSE_USER: 'owner',
      CLICKHOUSE_PASSWORD: PASSWORD,
      CLICKHOUSE_READER_USER: 'flagmeter_reader',
      CLICKHOUSE_READER_PASSWORD: PASSWORD,
    },
    async dispose() {
      await engine.dispose();
      await disk?.unmount();
      await rm(parent, { recursive: true, force: true });
    },
  });
}

/** An S3Proxy. `bucket` is the address of its bucket. */
export type OwnS3 = OwnEngine & {
  readonly bucket: string;
  readonly id: string;
  readonly secret: string;
};

export async function ownS3(): Promise<OwnS3> {
  const port = await freePort();
  const credentials = { id: 'key-id', secret: 'not+to/be=seen' };
  const bucket = 'bucket';
  await prepareS3(() => undefined);
  const engine = await own((directory) => startS3({ directory, port, credentials, bucket }));
  return { ...engine, ...credentials, bucket: `${engine.address}/${bucket}` };
}

export async function ownRedis(): Promise<OwnEngine> {
  const port = await freePort();
  return own((directory) => startRedis({ directory, port }));
}

export type OwnKafkaCluster = KafkaCluster & {
  /** It holds the data of the broker at `index` in `filesOf(directory, 'kafka-<index + 1>').data`. */
  readonly directory: string;
  dispose(): Promise<void>;
};

/** Three brokers. A test may kill or freeze any of them. */
export async function ownKafkaCluster(settings: KafkaOptions['settings'] = {}): Promise<OwnKafkaCluster> {
  const directory = await ownDirectory();
  const ports = [await freePort(), await freePort(), await freePort()];
  const cluster = await startKafkaCluster({ directory, ports, settings });
  return untilEndOfFile({
    ...cluster,
    directory,
    async dispose() {
      for (const broker of cluster.brokers) broker.signal('SIGKILL');
      await cluster.stop();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

export async function ownPostgres(options: Pick<PostgresOptions, 'tls'> = {}): Promise<OwnEngine> {
  const port = await freePort();
  const passwords = { postgres: PASSWORD, superuser: `${PASSWORD}-superuser` };
  return own((directory) => startPostgres({ directory, port, passwords, ...options }));
}

/** By default it lets the parameters through with which the services connect. */
export async function ownPgBouncer({
  postgresUrl,
  poolMode,
  ignoredParameters = ['statement_timeout', 'idle_in_transaction_session_timeout'],
}: Pick<PgBouncerOptions, 'postgresUrl' | 'poolMode'> &
  Partial<Pick<PgBouncerOptions, 'ignoredParameters'>>): Promise<OwnEngine> {
  const port = await freePort();
  return own((directory) => startPgBouncer({ directory, port, postgresUrl, poolMode, ignoredParameters }));
}

const run = promisify(execFile);

const ENGINES = path.resolve('.local/test-engines');
/** ClickHouse needs about 40 MiB for the tables of a world and its own logs. */
const CLICKHOUSE_DISK_MIB = 256;

let prepared: Promise<void> | undefined;

export async function ownDirectory(): Promise<string> {
  // Once in a process, because asking starts Java and other programs: a tenth of a second of CPU.
  prepared ??= prepareEngines(() => undefined);
  await prepared;
  await mkdir(ENGINES, { recursive: true });
  const directory = await mkdtemp(path.join(ENGINES, 'engine-'));
  await chmod(directory, PASSABLE);
  return directory;
}

/** Starts an engine in its own directory, unless a directory is given. */
export async function own(
  start: (directory: string) => Promise<Engine>,
  parent?: string,
): Promise<OwnEngine> {
  const directory = parent === undefined ? await ownDirectory() : path.join(parent, 'engine');
  let engine = await start(directory);
  let isKilled = false;
  const restart = async (): Promise<void> => {
    engine = await start(directory);
    isKilled = false;
  };
  return untilEndOfFile({
    address: engine.address,
    async kill() {
      isKilled = true;
      engine.signal('SIGKILL');
      await engine.exited;
    },
    async stop() {
      isKilled = true;
      await engine.stop();
    },
    restart,
    freeze: () => freeze(engine),
    thaw: () => {
      engine.signal('SIGCONT');
    },
    async revive() {
      engine.signal('SIGCONT');
      if (isKilled) await restart();
    },
    async dispose() {
      await engine.stop();
      await rm(directory, { recursive: true, force: true });
    },
  });
}

/** Sends SIGSTOP and waits until it takes effect. */
export async function freeze(engine: Engine): Promise<void> {
  engine.signal('SIGSTOP');
  await untilFrozen([engine.pid]);
}

/**
 * Freezes an engine and the processes that it started: Postgres has one for each connection.
 * The returned function thaws them.
 */
export async function freezeWithChildren(engine: Engine): Promise<() => void> {
  await freeze(engine);
  // A frozen engine starts no more of them, so none is missing in the list.
  const processes = await descendantsOf([engine.pid]);
  for (const pid of processes) process.kill(pid, 'SIGSTOP');
  await untilFrozen(processes);
  return () => {
    for (const pid of processes) process.kill(pid, 'SIGCONT');
  };
}

async function untilFrozen(pids: readonly number[]): Promise<void> {
  await eventually(
    () => run('ps', ['-o', 'stat=', '-p', pids.join(',')]),
    ({ stdout }) =>
      stdout
        .trim()
        .split(/\s+/)
        .every((state) => state.startsWith('T')),
  );
}
