import { fork } from 'node:child_process';
import { once } from 'node:events';
import { expect } from 'chai';
import type { Measurement } from '../../../../tools/bench/rounds/measurement.ts';
import { readChildren, readCpuMs, readPeakMiB } from '../../../../tools/run/procfs.ts';
import { quantile, ratioToFloor, systemCpu } from '../../../../tools/bench/figures.ts';
import { recordOf } from '../../../../tools/bench/report/record.ts';
import { describeMeasurements } from '../../../../tools/bench/report/report.ts';
import type { Shape } from '../../../../tools/bench/rounds/shapes.ts';

const SHAPE: Shape = { rows: 480, keys: 'realistic', connections: 16 };

function aMeasurement(given: Partial<Measurement>): Measurement {
  const nothing = { cpuMsPer1000Rows: {}, peakMiB: {}, failures: 0, rows: 1000 };
  return { stage: 'floor', round: 1, shape: SHAPE, ...nothing, ...given };
}

const FLOOR = [1, 2].map((round) => aMeasurement({ round, acknowledgedPerSecond: round * 1_000_000 }));

describe('the figures of the benchmark', () => {
  it('compares a measurement with the floor of the same round and body', () => {
    const second = aMeasurement({ stage: 'ingest, Kafka', round: 2, acknowledgedPerSecond: 500_000 });
    expect(ratioToFloor(second, FLOOR)).to.equal(0.25);
    expect(ratioToFloor({ ...second, shape: { ...SHAPE, rows: 10 } }, FLOOR)).to.equal(undefined);
    expect(ratioToFloor({ ...second, shape: { ...SHAPE, format: 'sdk' } }, FLOOR)).to.equal(undefined);
  });

  it('compares points of OpenTelemetry, many keys and impact metrics with as many rows of a relay', () => {
    const stored = aMeasurement({ stage: 'flagmeter start', storedPerSecond: 100_000 });
    const additions = [{ format: 'protobuf' }, { keys: 'many' }, { measures: true }] as const;
    for (const addition of additions)
      expect(ratioToFloor({ ...stored, shape: { ...SHAPE, ...addition } }, FLOOR)).to.equal(0.1);
  });

  it('shows both rounds side by side', () => {
    expect(describeMeasurements(FLOOR)).to.include('1000 / 2000');
  });

  it('records the means of both rounds and the highest p99, and first what people run', () => {
    const p99 = (round: number) => ({ p50: 1, p95: 2, p99: round, p999: 9, max: 9 });
    const rounds = FLOOR.map((floor) => ({ ...floor, latencyMs: p99(floor.round) }));
    const started = aMeasurement({ stage: 'flagmeter start', storedPerSecond: 400_000 });
    const [head, first, floor] = recordOf([...rounds, started]).split('\n');
    expect(head).to.match(/^"measurement","k rows\/s"/);
    expect(first).to.equal('"flagmeter start: 480 rows",400,0.40,,0.00');
    expect(floor).to.equal('"floor: 480 rows",1500,,2.0,0.00');
  });

  it('excludes the load generator from the cost of the system', () => {
    const cpuMsPer1000Rows = { ingest: 3, clickhouse: 1, load: 7 };
    expect(systemCpu(aMeasurement({ stage: 'flagmeter start', cpuMsPer1000Rows }))).to.equal(4);
  });

  it('computes quantiles', () => {
    expect([quantile([5, 1, 3], 0.5), quantile([5, 1, 3], 0.95), quantile([], 0.5)]).to.deep.equal([3, 5, 0]);
  });
});

describe('readCpuMs', () => {
  it('counts the time of children too', async () => {
    const before = readCpuMs(process.pid);
    const own = process.cpuUsage();
    const child = fork('-', {
      execArgv: [
        '-e',
        'const end = Date.now() + 60000; while (process.cpuUsage().user < 300000 && Date.now() < end);',
      ],
    });
    await once(child, 'exit');
    const { user, system } = process.cpuUsage(own);
    expect(readCpuMs(process.pid) - before - (user + system) / 1000).to.be.greaterThan(200);
  });

  it('finds children by their command lines', async () => {
    const child = fork('-', { execArgv: ['-e', 'process.on("message", () => {})', 'a-child'] });
    await once(child, 'spawn');
    const children = readChildren(process.pid);
    expect(children.find(({ pid }) => pid === child.pid)?.command).to.include('a-child');
    child.kill();
    await once(child, 'exit');
  });

  it('returns the peak of this process', () => {
    expect(readPeakMiB(process.pid)).to.be.within(20, 4096);
  });
});
