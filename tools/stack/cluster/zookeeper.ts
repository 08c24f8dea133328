import { mkdir, writeFile } from 'node:fs/promises';
import path from 'node:path';
import {
  type Engine,
  enginesDirectory,
  exchange,
  filesOf,
  javaProgram,
  launchEngine,
  stopRecorded,
} from '#tooling/stack';

export type ZooKeeperOptions = {
  readonly directory: string;
  readonly port: number;
};

export const zooKeeperJars = path.join(enginesDirectory, 'zookeeper', 'jars');

const jvmOptions = [
  '-Xmx256m',
  '-XX:+UseSerialGC',
  '-XX:TieredStopAtLevel=1',
  '-Dzookeeper.jmx.log4j.disable=true',
  '-Djute.maxbuffer=8388608',
  // KiB. By default each file of the log takes 64 MiB at once.
  '-Dzookeeper.preAllocSize=1024',
] as const;

/** One ZooKeeper, which keeps what ClickHouse replicas agree on. Its data survives SIGKILL. */
export async function startZooKeeper({ directory, port }: ZooKeeperOptions): Promise<Engine> {
  const name = 'zookeeper';
  const files = filesOf(directory, name);
  await stopRecorded(files.pid);
  await mkdir(files.data, { recursive: true });
  const settingsFile = path.join(files.data, 'zoo.cfg');
  await writeFile(settingsFile, settings(port, files.data));
  return launchEngine({
    name,
    title: 'ZooKeeper',
    address: `127.0.0.1:${port}`,
    directory,
    command: javaProgram,
    args: [
      ...jvmOptions,
      '-cp',
      path.join(zooKeeperJars, '*'),
      'org.apache.zookeeper.server.quorum.QuorumPeerMain',
      settingsFile,
    ],
    options: { cwd: files.data },
    mark: settingsFile,
    isReady: async () => (await exchange(port, Buffer.from('ruok')))?.toString() === 'imok',
    stopSignal: 'SIGTERM',
  });
}

function settings(port: number, data: string): string {
  return `tickTime=500
initLimit=10
syncLimit=5
dataDir=${path.join(data, 'log')}
clientPort=${port}
clientPortAddress=127.0.0.1
admin.enableServer=false
maxClientCnxns=0
minSessionTimeout=1000
forceSync=no
4lw.commands.whitelist=ruok
`;
}
