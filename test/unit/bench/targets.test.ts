import { expect } from 'chai';
import type { Measurement } from '../../../tools/bench/rounds/measurement.ts';
import { describeTargets } from '../../../tools/bench/report/report.ts';
import { isMet, targetsOf } from '../../../tools/bench/report/targets.ts';
import type { Shape } from '../../../tools/bench/rounds/shapes.ts';

const SMALL: Shape = { rows: 10, keys: 'realistic', connections: 16 };

function everything(given: Partial<Measurement>): Measurement {
  const costs = { cpuMsPer1000Rows: { ingest: 15, clickhouse: 4, load: 1 }, peakMiB: { ingest: 100 } };
  return { stage: 'everything', round: 1, shape: SMALL, failures: 0, rows: 1000, ...costs, ...given };
}

describe('the targets of the benchmark', () => {
  const rounds = [
    everything({ round: 1, storedPerSecond: 80_000 }),
    everything({ round: 2, storedPerSecond: 70_000, peakMiB: { ingest: 200 } }),
  ];
  const read = { name: 'slow', runs: 30, failures: 0, p50: 1, p95: 81 };
  const targets = targetsOf({
    measurements: rounds,
    reads: [read, { ...read, name: 'fast', p95: 5 }],
    cores: 2,
  });

  it('are those that the run measured', () => {
    expect(targets.map(({ title }) => title)).to.deep.equal([
      'everything, rows/s stored, 10 rows',
      'everything, CPU ms for 1,000 rows, 10 rows',
      'peak MiB of ingest',
      'p95 ms of the slowest question',
    ]);
    expect(targetsOf({ measurements: [], reads: [], cores: 2 })).to.deep.equal([]);
  });

  it('are met if each round meets them', () => {
    expect(targets.map(isMet)).to.deep.equal([false, false, false, false]);
    const [stored] = targetsOf({ measurements: rounds.slice(0, 1), reads: [], cores: 2 });
    expect(stored && isMet(stored)).to.equal(true);
  });

  it('say what bounds them if they are not met', () => {
    const [stored, cpu, peak, question] = targets.map(({ bound }) => bound);
    expect(stored).to.equal(
      '1,000 rows take 20.0 ms of CPU (ingest 15.0, clickhouse 4.0, load 1.0), so 2 cores store at most 100 k rows/s',
    );
    expect(cpu).to.equal('ingest 15.0, clickhouse 4.0, load 1.0');
    expect(peak).to.equal('highest at: everything, 10 rows');
    expect(question).to.equal('1 of 2 questions are slower: slow 81');
    expect(describeTargets(targets)).to.include(
      '| everything, CPU ms for 1,000 rows, 10 rows | 19 / 19 | at most 18 | ingest 15.0,',
    );
  });

  it('compare a round with the floor and with its bodies that imitate Edge', () => {
    const floor = everything({
      stage: 'floor',
      acknowledgedPerSecond: 200_000,
      cpuMsPer1000Rows: { floor: 3 },
    });
    const inMemory = everything({ stage: 'ingest, broker in memory', acknowledgedPerSecond: 100_000 });
    const imitating = everything({ storedPerSecond: 76_000, shape: { ...SMALL, imitatesEdge: true } });
    const measurements = [floor, inMemory, ...rounds, imitating];
    const shown = describeTargets(targetsOf({ measurements, reads: [], cores: 2 }));
    expect(shown).to.include(
      '| 0.50 | at least 0.60 | a request takes ingest 150 us of CPU, and the floor 30 us |',
    );
    expect(shown).to.include('plain ones, 10 rows | 0.95 | at least 0.90 | met |');
  });
});
