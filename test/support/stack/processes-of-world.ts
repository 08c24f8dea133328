import { stackEnv } from './engines/stack-addresses.ts';
import { type ServiceProcess, forkService } from './processes/process.ts';
import type { Preload } from './processes/programs.ts';

type Env = Readonly<Record<string, string>>;

/** The processes that a world starts. */
export type Processes = {
  launch(service: string, env?: Env, preloads?: readonly Preload[]): Promise<ServiceProcess>;
  /** Ends those that still run. */
  end(): Promise<void>;
  /**
   * Whether an INSERT of a process that has ended may still arrive. Of these services only the worker inserts. One that ends in order has
   * waited for its INSERTs.
   */
  mayStillInsert(): Promise<boolean>;
};

/** `ofWorld` is their environment, unless `launch` gets another. */
export function createProcesses(ofWorld: Env): Processes {
  const started: {
    readonly process: ServiceProcess;
    readonly isWorker: boolean;
    readonly canWait: boolean;
  }[] = [];
  return {
    async launch(service, env = {}, preloads = []) {
      const all = { ...ofWorld, ...env };
      const process = await forkService(service, { env: all, preloads });
      started.push({ process, isWorker: service === 'worker', canWait: reachesEngines(all) });
      return process;
    },
    async end() {
      const ends = started.map(({ process, isWorker, canWait }) =>
        isWorker && canWait ? process.stopOrKill() : process.kill(),
      );
      for (const end of await Promise.allSettled(ends)) if (end.status === 'rejected') throw end.reason;
    },
    async mayStillInsert() {
      const workers = started.filter(({ isWorker }) => isWorker);
      const codes = await Promise.all(workers.map(({ process }) => process.exited));
      return workers.some(({ canWait }) => !canWait) || codes.some((code) => code !== 0);
    },
  };
}

/** Tests cut off or freeze other engines, and then a worker does not wait until its INSERT has ended. */
function reachesEngines(env: Env): boolean {
  const { CLICKHOUSE_URL, KAFKA_BROKERS } = stackEnv();
  return env['CLICKHOUSE_URL'] === CLICKHOUSE_URL && env['KAFKA_BROKERS'] === KAFKA_BROKERS;
}
