import path from 'node:path';
import { downloadZooKeeper } from '../install/downloads.ts';
import { withLock } from '../install/lock.ts';
import { missing } from '../install/missing-programs.ts';
import { type Report, announced, once, source } from '../install/prepare.ts';
import { findProgram } from '../install/programs.ts';
import { stampOf } from '../install/stamp.ts';
import { enginesDirectory } from '../layout.ts';
import { zooKeeperJars } from './zookeeper.ts';

/** Installs ZooKeeper. Only clusters need it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareCluster(report: Report = console.log): Promise<void> {
  const pom = source('zookeeper/pom.xml');
  const stamp = stampOf(path.join(zooKeeperJars, '.prepared'), { files: [pom], texts: [] });
  await withLock(path.join(enginesDirectory, 'zookeeper.lock'), () =>
    once(stamp, async () => {
      if ((await findProgram('mvn')) === undefined) throw missing('mvn');
      await announced(report, 'ZooKeeper from Maven Central (7 MB)', downloadZooKeeper);
    }),
  );
}
