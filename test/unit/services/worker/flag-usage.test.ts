import { expect } from 'chai';
import { Registry } from '#base/runtime';
import { type FlagUsage, createFlagUsage } from '../../../../services/worker/counts/flag-usage.ts';
import { RECEIVED_AT, aMetric } from '../../../support/builders/builders.ts';
import { aBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';

const HOUR_MS = 3_600_000;

describe('the counter of Unleash', () => {
  let registry: Registry;
  beforeEach(() => {
    registry = new Registry();
  });

  /** The samples that a scraper gets. */
  const scraped = async (usage: FlagUsage): Promise<string[]> =>
    `${usage.read()}${await registry.metrics()}`
      .split('\n')
      .filter((line) => line !== '' && !line.startsWith('#'));

  const inBasket = { featureName: 'basket', appName: 'shop', yes: 3, no: 1 };

  it('adds up blocks, hours and environments by flag, result and application', async () => {
    const usage = createFlagUsage(registry, 100);
    const anHourBefore = new Date(RECEIVED_AT - HOUR_MS).toISOString();
    usage.note(aBlock({ metrics: [aMetric(inBasket), aMetric({ ...inBasket, timestamp: anHourBefore })] }));
    usage.note(aBlock({ metrics: [aMetric({ ...inBasket, environment: 'development' })] }));
    usage.note(aBlock({ metrics: [aMetric({ featureName: 'basket', appName: 'till', yes: 0, no: 2 })] }));
    const expected = [
      'feature_toggle_usage_total{toggle="basket",active="true",appName="shop"} 9',
      'feature_toggle_usage_total{toggle="basket",active="false",appName="shop"} 3',
      'feature_toggle_usage_total{toggle="basket",active="true",appName="till"} 0',
      'feature_toggle_usage_total{toggle="basket",active="false",appName="till"} 2',
      'flagmeter_worker_usage_beyond_series_total 0',
    ];
    expect(await scraped(usage)).to.deep.equal(expected);
    // A scrape changes nothing.
    expect(await scraped(usage)).to.deep.equal(expected);
  });

  it('has no more series than allowed, and counts what lacks one in one place', async () => {
    const usage = createFlagUsage(registry, 5);
    for (let round = 0; round < 2; round += 1)
      for (let flag = 0; flag < 100; flag += 1)
        usage.note(
          aBlock({ metrics: [aMetric({ featureName: `flag-${flag}`, appName: 'shop', yes: 2, no: 1 })] }),
        );
    expect(await scraped(usage)).to.deep.equal([
      'feature_toggle_usage_total{toggle="flag-0",active="true",appName="shop"} 4',
      'feature_toggle_usage_total{toggle="flag-0",active="false",appName="shop"} 2',
      'feature_toggle_usage_total{toggle="flag-1",active="true",appName="shop"} 4',
      'feature_toggle_usage_total{toggle="flag-1",active="false",appName="shop"} 2',
      'flagmeter_worker_usage_beyond_series_total 588',
    ]);
  });

  it('gives the series of what was silent for an hour to others, and begins it again at 0', async () => {
    let now = 0;
    const usage = createFlagUsage(registry, 4, () => now);
    const use = (featureName: string): void => {
      usage.note(aBlock({ metrics: [aMetric({ featureName, appName: 'shop', yes: 1, no: 0 })] }));
    };
    const flags = async (): Promise<(string | undefined)[]> =>
      (await scraped(usage))
        .map((line) => /toggle="(.*)",active="true".* (\d)$/.exec(line)?.slice(1).join(' '))
        .filter(Boolean);
    use('made-up');
    use('basket');
    now = HOUR_MS;
    use('basket');
    use('search');
    expect(await flags()).to.deep.equal(['made-up 1', 'basket 2']);
    now += 1;
    use('search');
    expect(await flags()).to.deep.equal(['basket 2', 'search 1']);
    use('made-up');
    expect(await flags()).to.deep.equal(['basket 2', 'search 1']);
    now += 2 * HOUR_MS;
    use('made-up');
    expect(await flags()).to.deep.equal(['search 1', 'made-up 1']);
    expect(await scraped(usage)).to.include('flagmeter_worker_usage_beyond_series_total 2');
  });

  it('is no part of the data that are merged with those of other processes', async () => {
    const usage = createFlagUsage(registry, 100);
    usage.note(aBlock({ metrics: [aMetric(inBasket)] }));
    expect((await registry.getMetricsAsJSON()).map(({ name }) => name)).to.deep.equal([
      'flagmeter_worker_usage_beyond_series_total',
    ]);
    expect(usage.read().split('\n', 2)).to.deep.equal([
      '# HELP feature_toggle_usage_total Evaluations in stored blocks by flag, result and application, as Unleash shows them',
      '# TYPE feature_toggle_usage_total counter',
    ]);
  });

  it('escapes names for scrapers', async () => {
    const featureName = String.raw`a "quoted" \ __proto__`;
    const usage = createFlagUsage(registry, 10);
    usage.note(aBlock({ metrics: [aMetric({ ...inBasket, featureName })] }));
    expect(await scraped(usage)).to.include(
      String.raw`feature_toggle_usage_total{toggle="a \"quoted\" \\ __proto__",active="true",appName="shop"} 3`,
    );
  });
});
