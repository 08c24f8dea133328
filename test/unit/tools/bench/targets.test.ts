import { expect } from 'chai';
import type { Measurement } from '../../../../tools/bench/rounds/measurement.ts';
import { describeTargets } from '../../../../tools/bench/report/report.ts';
import { isMet, targetsOf } from '../../../../tools/bench/report/targets.ts';
import type { Shape } from '../../../../tools/bench/rounds/shapes.ts';

const SMALL: Shape = { rows: 10, keys: 'realistic', connections: 16 };

function started(given: Partial<Measurement>): Measurement {
  const costs = {
    cpuMsPer1000Rows: { standalone: 15, clickhouse: 4, load: 1 },
    peakMiB: { standalone: 100 },
  };
  return { stage: 'flagmeter start', round: 1, shape: SMALL, failures: 0, rows: 1000, ...costs, ...given };
}

describe('the targets of the benchmark', () => {
  const floor = started({
    stage: 'floor',
    acknowledgedPerSecond: 200_000,
    cpuMsPer1000Rows: { floor: 3, load: 1 },
  });
  const rounds = [
    started({ round: 1, storedPerSecond: 80_000 }),
    started({ round: 2, storedPerSecond: 60_000, peakMiB: { standalone: 250 } }),
  ];
  const measurements = [floor, { ...floor, round: 2 }, ...rounds];
  const read = { name: 'slow', runs: 30, failures: 0, p50: 1, p95: 101 };
  const reads = [read, { ...read, name: 'fast', p95: 5 }];
  const targets = targetsOf({ measurements, reads, cores: 2 });

  it('are those that the run measured', () => {
    expect(targets.map(({ title }) => title)).to.deep.equal([
      'flagmeter start to the floor, 10 rows',
      'CPU of a row to that of the floor, 10 rows',
      'peak MiB of standalone',
      'p95 ms of the slowest question',
    ]);
    expect(targetsOf({ measurements: [], reads: [], cores: 2 })).to.deep.equal([]);
  });

  it('are met if each round meets them', () => {
    expect(targets.map(isMet)).to.deep.equal([false, false, false, false]);
    const first = measurements.filter(({ round }) => round === 1);
    const [stored] = targetsOf({ measurements: first, reads: [], cores: 2 });
    expect(stored && isMet(stored)).to.equal(true);
  });

  it('say what bounds them if they are not met', () => {
    const [stored, cpu, peak, question] = targets.map(({ bound }) => bound);
    expect(stored).to.equal(
      '1,000 rows take 20.0 ms of CPU (standalone 15.0, clickhouse 4.0, load 1.0), so 2 cores store at most 100 k rows/s',
    );
    expect(cpu).to.equal('ms for 1,000 rows: standalone 15.0, clickhouse 4.0, load 1.0; floor 3.0, load 1.0');
    expect(peak).to.equal('highest at: flagmeter start, 10 rows');
    expect(question).to.equal('1 of 2 questions are slower: slow 101');
    expect(describeTargets(targets)).to.include(
      '| flagmeter start to the floor, 10 rows | 0.40 / 0.30 | at least 0.32 | 1,000 rows take',
    );
    expect(describeTargets(targets)).to.include('floor, 10 rows | 6.33 / 6.33 | at most 4.00 | ms for');
  });

  it('compare the bodies of a round with each other', () => {
    const inMemory = started({
      stage: 'ingest, broker in memory',
      acknowledgedPerSecond: 100_000,
      cpuMsPer1000Rows: { ingest: 15 },
    });
    const all = [
      ...measurements,
      inMemory,
      started({ storedPerSecond: 100_000, shape: { ...SMALL, connections: 128 } }),
      started({
        stage: 'flagmeter start at half rate',
        latencyMs: { p50: 2, p95: 4, p99: 9, p999: 20, max: 30 },
      }),
    ];
    const shown = describeTargets(targetsOf({ measurements: all, reads: [], cores: 2 }));
    expect(shown).to.include(
      '| 0.50 | at least 0.60 | a request takes ingest 150 us of CPU, and the floor 30 us |',
    );
    expect(shown).to.include('128 connections to 16, 10 rows | 1.25 | at least 1.50 | 1,000 rows');
    expect(shown).to.include('at half rate, 10 rows | 4.50 | at most 5.00 | met |');
  });
});
