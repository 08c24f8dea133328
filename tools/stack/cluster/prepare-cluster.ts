import path from 'node:path';
import { type Report, downloadJars, installOnceLocked } from '#tooling/stack';
import { manifest } from '../manifests.ts';
import { zooKeeperJars } from './zookeeper.ts';

/** Installs ZooKeeper. Only clusters need it, so `prepareEngines`, which must have run before, leaves it out. */
export async function prepareCluster(report: Report = console.log): Promise<void> {
  const zooKeeper = {
    what: 'ZooKeeper from Maven Central (7 MB)',
    mark: path.join(zooKeeperJars, '.prepared'),
    files: [manifest('zookeeper/pom.xml')],
    install: () => downloadJars(manifest('zookeeper'), zooKeeperJars),
  };
  await installOnceLocked('zookeeper', zooKeeper, report);
}
