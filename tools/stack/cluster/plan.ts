import { freePort } from '#tooling/stack';
import type { ClusterPlan, Replica } from './replica-config.ts';

export type ClusterSize = {
  /** Their names, such as a and b. */
  readonly shards: readonly string[];
  /** Servers of each shard. */
  readonly replicas: number;
};

/** Servers such as a1, a2, b1 and b2, on free ports. */
export async function planCluster({ shards, replicas }: ClusterSize): Promise<ClusterPlan> {
  const planned: Replica[] = [];
  for (const shard of shards)
    for (let number = 1; number <= replicas; number += 1)
      planned.push({
        name: `${shard}${number}`,
        shard,
        httpPort: await freePort(),
        tcpPort: await freePort(),
      });
  return { zooKeeperPort: await freePort(), replicas: planned };
}
