import path from 'node:path';
import { type Report, installOnceLocked } from '../install/install-once.ts';
import { downloadJars } from '../install/maven.ts';
import { zooKeeperJars } from './zookeeper.ts';

/** Installs ZooKeeper. Only clusters need it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareCluster(report: Report = console.log): Promise<void> {
  const zooKeeper = {
    what: 'ZooKeeper from Maven Central (7 MB)',
    mark: path.join(zooKeeperJars, '.prepared'),
    files: ['manifests/zookeeper/pom.xml'],
    install: () => downloadJars('zookeeper', zooKeeperJars),
  };
  await installOnceLocked('zookeeper', zooKeeper, report);
}
