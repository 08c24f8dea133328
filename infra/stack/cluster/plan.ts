import { freePort } from '../processes/free-port.ts';
import type { ClusterPlan, Replica } from './replica-config.ts';

/** Two shards (a and b) of two replicas each (a1, a2, b1, b2), on free ports. */
export async function planCluster(shards: readonly string[] = ['a', 'b']): Promise<ClusterPlan> {
  const replicas: Replica[] = [];
  for (const shard of shards)
    for (const number of [1, 2])
      replicas.push({
        name: `${shard}${number}`,
        shard,
        httpPort: await freePort(),
        tcpPort: await freePort(),
      });
  return { zooKeeperPort: await freePort(), replicas };
}
