import { expect } from 'chai';
import { type ClickHouse, openClickHouse, replicasOf, runStatement } from '#core/clickhouse';
import { setUpTables } from '#tooling/operations';
import { createLog, readConfig } from '#base/runtime';
import { answersOfSimulated, asJson } from '../simulation/fidelity/answers-of-simulated.ts';
import { readTotals } from '../simulation/fidelity/real-totals.ts';
import { type ReplicaSubject, runReplicasScript } from '../simulation/fidelity/replicas-script.ts';
import { ENGINE_ADDRESSES } from '../support/builders/engine-addresses.ts';
import { untilCaughtUp } from '../support/stack/engines/clickhouse/replica-accounting.ts';
import { type OwnCluster, type OwnReplica, ownCluster } from '../support/stack/engines/own-cluster.ts';
import { describeNightly } from '../support/nightly.ts';

/** A difference is a defect of the simulation. */
describeNightly('a simulated pair of replicas answers as a real one does', () => {
  /** At the start of an hour, so that the script stays in it. */
  const now = Math.floor(Date.now() / 3_600_000) * 3_600_000;
  const clients: ClickHouse[] = [];
  let cluster: OwnCluster;
  let real: unknown[];
  let simulated: unknown[];

  before(async () => {
    cluster = await ownCluster();
    const { clickhouse } = readConfig({ ...ENGINE_ADDRESSES, ...cluster.access });
    await setUpTables({ clickhouse }, createLog('test', 'fatal'));
    const both = openClickHouse(clickhouse);
    const [one, two] = replicasOf(clickhouse).map((options) => openClickHouse(options));
    const [first, second] = cluster.replicas;
    if (first === undefined || second === undefined || one === undefined || two === undefined)
      throw new RangeError('the cluster has too few replicas');
    clients.push(both, one, two);
    const subject = { first: subjectOf(first, one), second: subjectOf(second, two), both };
    real = asJson(await runReplicasScript(subject, now));
    simulated = await answersOfSimulated('replicas', now);
  });
  after(async () => {
    await Promise.all(clients.map((client) => client.close()));
    await cluster.dispose();
  });

  it('in each step of a script of INSERTs, reads and completions while one lags or is away', () => {
    for (const [index, answer] of real.entries()) expect(simulated[index]).to.deep.equal(answer);
    expect(real.length).to.be.above(50);
    expect(simulated.length).to.equal(real.length);
    expect(real).to.deep.include(['wait of the lagging one', 'TIMEOUT_EXCEEDED']);
  });

  function subjectOf(replica: OwnReplica, db: ClickHouse): ReplicaSubject {
    return {
      db,
      totals: () => readTotals(db),
      setLagging: (isLagging) => runStatement(db, `system ${isLagging ? 'stop' : 'start'} fetches`),
      kill: () => replica.kill(),
      start: () => replica.restart(),
      untilCaughtUp: () => untilCaughtUp(db),
    };
  }
});
