import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { MANY, REALISTIC, distinctKeys } from '../../../tools/plan/load.ts';
import { MEASURED, compare } from '../../../tools/plan/measured.ts';
import { DEFAULTS, PARTS, largestFor, planFor, sumOf } from '../../../tools/plan/plan.ts';
import { withTables } from '../../../tools/plan/tables.ts';

const SCALE = path.resolve(import.meta.dirname, '../../../docs/develop/scale.md');
const LOAD = { requestsPerSecond: 10_000, rows: 100, keys: REALISTIC };

describe('the plan of docs/develop/scale.md', () => {
  it('is what the document shows', async () => {
    const document = await readFile(SCALE, 'utf8');
    expect(document, 'run make plan').to.equal(withTables(document));
  });

  for (const measured of MEASURED) {
    it(`calculates the measured CPU of ${measured.title}`, () => {
      const ratios = compare(measured);
      for (const part of PARTS) expect(ratios[part], part).to.be.within(0.7, 1.5);
    });
  }

  it('expects every key in a large block, and only different keys in a small one', () => {
    expect(distinctKeys(REALISTIC, 100_000_000)).to.be.closeTo(20_000, 1);
    expect(distinctKeys(MANY, 100_000_000)).to.be.closeTo(500_000, 1);
    expect(distinctKeys(MANY, 100)).to.be.closeTo(100, 0.1);
    expect(distinctKeys(REALISTIC, 1)).to.be.closeTo(1, 1e-9);
  });

  it('needs ingest for requests, workers for rows, and ClickHouse for keys', () => {
    const plan = planFor(LOAD);
    const withRows = planFor({ ...LOAD, requestsPerSecond: 5000, rows: 200 });
    const withKeys = planFor({ ...LOAD, keys: MANY });

    expect(withRows.cores.ingest).to.be.below(plan.cores.ingest);
    expect(withRows.workers).to.equal(plan.workers);
    expect(withKeys.cores.ingest).to.equal(plan.cores.ingest);
    expect(withKeys.cores.ClickHouse).to.be.above(3 * plan.cores.ClickHouse);
  });

  it('gives each worker a partition and each partition its replicas', () => {
    for (const requestsPerSecond of [1, 10_000, 1_000_000]) {
      const { workers, partitions, brokers } = planFor({ ...LOAD, requestsPerSecond });
      expect(partitions).to.be.at.least(workers);
      expect(brokers).to.be.at.least(DEFAULTS.kafkaReplicas);
    }
  });

  it('fills the given cores and no more', () => {
    const rest = { rows: 100, keys: REALISTIC };
    const { requestsPerSecond, plan } = largestFor(32, rest, DEFAULTS);
    expect(sumOf(plan.cores)).to.be.at.most(32 * DEFAULTS.busy);
    const more = planFor({ ...rest, requestsPerSecond: requestsPerSecond * 1.05 });
    expect(sumOf(more.cores)).to.be.above(32 * DEFAULTS.busy);
  });
});
