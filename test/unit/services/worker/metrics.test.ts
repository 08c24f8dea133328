import { expect } from 'chai';
import { Registry } from '#base/runtime';
import { createFleetMetrics } from '../../../../services/worker/fleet/fleet-metrics.ts';
import { createWorkerMetrics } from '../../../../services/worker/metrics.ts';
import { aBlock, aDeadBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aMetric } from '../../../support/builders/builders.ts';

describe('the metrics of the worker', () => {
  let registry: Registry;

  beforeEach(() => {
    registry = new Registry();
  });

  /** The text that a scraper gets, without empty lines. */
  const scraped = async (): Promise<string[]> =>
    (await registry.metrics()).split('\n').filter((line) => line !== '');

  it('begin at zero, so that a scraper sees the first failure and the first block', async () => {
    createWorkerMetrics(registry);
    const attempts = [
      'take over',
      'insert',
      'keep dead letters',
      'register applications',
      'store relay reports',
    ];
    const inserts = ['0.01', '0.025', '0.05', '0.1', '0.25', '0.5', '1', '2.5', '5', '10', '30', '+Inf'];
    expect(await scraped()).to.deep.equal([
      '# HELP flagmeter_worker_blocks_total Blocks stored',
      '# TYPE flagmeter_worker_blocks_total counter',
      'flagmeter_worker_blocks_total 0',
      '# HELP flagmeter_worker_metrics_total Metrics in stored blocks, by outcome',
      '# TYPE flagmeter_worker_metrics_total counter',
      '# HELP flagmeter_worker_failed_attempts_total Failed attempts that are repeated, by operation',
      '# TYPE flagmeter_worker_failed_attempts_total counter',
      ...attempts.map((name) => `flagmeter_worker_failed_attempts_total{attempted="${name}"} 0`),
      '# HELP flagmeter_worker_insert_seconds Time to store a block, including repetitions',
      '# TYPE flagmeter_worker_insert_seconds histogram',
      ...inserts.map((le) => `flagmeter_worker_insert_seconds_bucket{le="${le}"} 0`),
      'flagmeter_worker_insert_seconds_sum 0',
      'flagmeter_worker_insert_seconds_count 0',
      '# HELP flagmeter_worker_registrations_total Application instances written to Postgres',
      '# TYPE flagmeter_worker_registrations_total counter',
      'flagmeter_worker_registrations_total 0',
      '# HELP flagmeter_worker_relay_reports_total Reports of relays stored, those of nested relays included',
      '# TYPE flagmeter_worker_relay_reports_total counter',
      'flagmeter_worker_relay_reports_total 0',
      '# HELP flagmeter_worker_lag_messages Messages after the last one handled',
      '# TYPE flagmeter_worker_lag_messages gauge',
      '# HELP flagmeter_worker_deduplication_window_used_ratio Share of the deduplication window used since the block in doubt was first sent; 0 while none is in doubt',
      '# TYPE flagmeter_worker_deduplication_window_used_ratio gauge',
      '# HELP flagmeter_worker_slow_fetch_seconds_total Seconds by which fetches took longer than their wait for messages, because of a quota of Kafka or a slow connection',
      '# TYPE flagmeter_worker_slow_fetch_seconds_total counter',
    ]);
  });

  it('tell apart partitions and operations', () => {
    const metrics = createWorkerMetrics(registry);
    const partition = { topic: 'counts', partition: 3 };
    for (const gauge of [metrics.lag, metrics.deduplicationWindowUsed])
      expect(() => {
        gauge.set(partition, 1);
      }).not.to.throw();
    expect(() => {
      metrics.failedAttempts.inc({ attempted: 'insert' });
    }).not.to.throw();
  });

  it('add up the metrics of stored blocks by outcome', async () => {
    const metrics = createWorkerMetrics(registry);
    metrics.recordBlock(aBlock({ from: 0n, metrics: [aMetric({ yes: 1 }), aMetric({ yes: 2 })] }));
    metrics.recordBlock(aDeadBlock(1n));
    const lines = await scraped();
    expect(lines).to.include('flagmeter_worker_blocks_total 2');
    expect(lines.filter((line) => line.startsWith('flagmeter_worker_metrics_total{'))).to.have.members([
      'flagmeter_worker_metrics_total{outcome="received"} 3',
      'flagmeter_worker_metrics_total{outcome="counted"} 2',
      'flagmeter_worker_metrics_total{outcome="refused"} 0',
      'flagmeter_worker_metrics_total{outcome="duplicate"} 0',
      'flagmeter_worker_metrics_total{outcome="dead"} 1',
    ]);
  });

  it('about relays are those of the last look', async () => {
    const record = createFleetMetrics(registry);
    record({
      states: new Map([['reporting', 3]]),
      lags: new Map([
        ['production', 2],
        ['test', 0],
      ]),
    });
    record({ states: new Map([['silent', 1]]), lags: new Map([['test', 4]]) });
    expect(await scraped()).to.deep.equal([
      '# HELP flagmeter_relays Relays that reported in the last day, by state: reporting, silent, or stopped in order or replaced',
      '# TYPE flagmeter_relays gauge',
      'flagmeter_relays{state="reporting"} 0',
      'flagmeter_relays{state="silent"} 1',
      'flagmeter_relays{state="stopped"} 0',
      '# HELP flagmeter_relay_revision_lag Revisions by which the reporting relay that is most behind lacks the newest one of any relay, by environment',
      '# TYPE flagmeter_relay_revision_lag gauge',
      'flagmeter_relay_revision_lag{environment="test"} 4',
    ]);
  });
});
