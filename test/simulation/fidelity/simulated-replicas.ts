import { caughtUp } from '#core/clickhouse';
import { createRandom } from '#tooling/traffic';
import { overReplicas } from '../../../packages/core/clickhouse/client/replicas.ts';
import { createSimulatedClient } from '../clickhouse/client.ts';
import { ClickHouseServer, SharedTables } from '../clickhouse/server.ts';
import { Network } from '../network.ts';
import type { Schedule } from '../time/schedule.ts';
import type { ReplicaSubject, ReplicasSubject } from './replicas-script.ts';
import { TABLES, totalsOf } from './simulated-clickhouse.ts';

export function createSimulatedReplicas(schedule: Schedule): ReplicasSubject {
  const random = createRandom(1);
  const shared = new SharedTables();
  const network = new Network(schedule, random);
  const replica = (name: string) => {
    const server = new ClickHouseServer(name, { schedule, random }, shared);
    return { server, client: createSimulatedClient(network, server), check: () => Promise.resolve() };
  };
  const [one, two] = [replica('first'), replica('second')];
  return {
    first: subjectOf(one),
    second: subjectOf(two),
    both: overReplicas([one, two]),
  };

  function subjectOf({ server, ...access }: ReturnType<typeof replica>): ReplicaSubject {
    const db = overReplicas([access]);
    return {
      db,
      totals: () => Promise.resolve(totalsOf(server.content)),
      setLagging(isLagging) {
        server.setLagging(isLagging);
        return Promise.resolve();
      },
      kill() {
        server.kill();
        return Promise.resolve();
      },
      start() {
        server.start();
        return Promise.resolve();
      },
      async untilCaughtUp() {
        await caughtUp(db, [...TABLES, 'blocks', 'counter_states']);
      },
    };
  }
}
