import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import path from 'node:path';
import {
  type Engine,
  type KafkaOptions,
  type PostgresOptions,
  freePort,
  prepareEngines,
  startClickHouse,
  startKafka,
  startPostgres,
} from '../../infra/stack/index.ts';

/** An engine that belongs to one test file, which may do to it what it likes. */
export type OwnEngine = {
  readonly address: string;
  /** SIGKILL, and waits. */
  kill(): Promise<void>;
  /** Starts it again on its data and port. */
  restart(): Promise<void>;
  freeze(): void;
  thaw(): void;
  /** Thaws it, or starts it again if it was killed: for the hooks after a test that may have failed half-way. */
  revive(): Promise<void>;
  /** Ends it and forgets its data. */
  dispose(): Promise<void>;
};

type OwnKafkaOptions = Pick<KafkaOptions, 'settings' | 'listeners' | 'scramUsers'>;

export async function ownKafka(options: OwnKafkaOptions = {}): Promise<OwnEngine> {
  const ports = { port: await freePort(), controllerPort: await freePort() };
  return own((directory) => startKafka({ directory, ...ports, ...options }));
}

export async function ownClickHouse(): Promise<OwnEngine> {
  const port = await freePort();
  return own((directory) => startClickHouse({ directory, port }));
}

export async function ownPostgres(options: Pick<PostgresOptions, 'tls'> = {}): Promise<OwnEngine> {
  const port = await freePort();
  return own((directory) => startPostgres({ directory, port, ...options }));
}

const ENGINES = path.resolve('.local/test-engines');

async function own(start: (directory: string) => Promise<Engine>): Promise<OwnEngine> {
  await prepareEngines(() => undefined);
  await mkdir(ENGINES, { recursive: true });
  const directory = await mkdtemp(path.join(ENGINES, 'engine-'));
  let engine = await start(directory);
  let isKilled = false;
  const restart = async (): Promise<void> => {
    engine = await start(directory);
    isKilled = false;
  };
  return {
    address: engine.address,
    async kill() {
      isKilled = true;
      engine.signal('SIGKILL');
      await engine.exited;
    },
    restart,
    freeze: () => {
      engine.signal('SIGSTOP');
    },
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
  };
}
