import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import {
  type Engine,
  assertPortFree,
  clickhousePackages,
  filesOf,
  launchEngine,
  servesData,
  stopRecorded,
  writeClickHouseConfig,
} from '#tooling/stack';
import { settingsOfTests } from '../engines/settings-of-tests.ts';
import { type ClusterPlan, type Replica, replicaConfig } from './replica-config.ts';

export type ReplicaOptions = {
  readonly directory: string;
  readonly plan: ClusterPlan;
  /** Passwords of its users `owner`, `flagmeter_reader` and `analyst`. */
  readonly password: string;
};

/** Whether clickhouse-replica.mjs knows the engine of this platform. */
export function canRunReplicas(): boolean {
  return process.platform === 'linux' && process.arch === 'x64';
}

/**
 * One ClickHouse of a cluster, for tests: the engine of `startClickHouse` with replicated tables. Needs the plan's
 * ZooKeeper for writes. Its data survives SIGKILL.
 */
export async function startReplica(
  replica: Replica,
  { directory, plan, password }: ReplicaOptions,
): Promise<Engine> {
  const { httpPort, tcpPort } = replica;
  const name = `clickhouse-${replica.name}`;
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await assertPortFree(httpPort, 'ClickHouse');
  await mkdir(files.data, { recursive: true });
  const { clickhouse } = settingsOfTests();
  const config = await writeClickHouseConfig(files.data, replicaConfig(plan, replica), clickhouse);
  return launchEngine({
    name,
    title: `ClickHouse ${replica.name}`,
    address: `http://127.0.0.1:${httpPort}`,
    directory,
    command: process.execPath,
    args: [
      path.join(import.meta.dirname, 'clickhouse-replica.mjs'),
      clickhousePackages,
      config,
      files.data,
      String(httpPort),
      String(tcpPort),
    ],
    options: { cwd: files.data, env: { ...process.env, CLICKHOUSE_PASSWORD: password } },
    mark: files.data,
    isReady: () => servesData({ port: httpPort, password, data: files.data }),
    stopSignal: 'end of stdin',
  });
}
