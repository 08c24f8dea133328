import { expect } from 'chai';
import { createTokens } from '#auth';
import { syncEvents } from '#catalogue';
import { type ClickHouse, openClickHouse, readRows } from '#clickhouse';
import { loadCookbookData } from '../../support/documents/cookbook-world.ts';
import {
  analystQueries,
  healthQueries,
  queriesInFile,
  selectorsOf,
} from '../../support/documents/dashboards.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { eventually } from '../../support/eventually.ts';
import { aFreshMetric, bodyOf, post } from '../../support/requests/post.ts';
import { anArrivedReport, storeReports } from '../../support/relays.ts';
import { type Upstream, startUpstream } from '../../support/upstream/upstream.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('the dashboards of usage and clean-up', function () {
  this.timeout(300_000);
  let engine: OwnClickHouse;
  let world: World;
  let analyst: ClickHouse;

  before(async () => {
    engine = await ownClickHouse();
    // The grants of the local engine name the default database.
    world = await createWorld({ ...engine.access, CLICKHOUSE_DATABASE: 'flagmeter' });
    analyst = openClickHouse({ ...world.config.clickhouse, username: 'analyst' });
    await loadCookbookData(world);
    await world.db.query(`
      insert into events (created_at, type, created_by, environment, feature_name)
      values (now() - interval '2 days', 'feature-environment-enabled', 'ada', 'production', 'price-experiment')`);
    await syncEvents(world.db, world.clickhouse);
  });

  after(async () => {
    await analyst.close();
    await world.dispose();
    await engine.dispose();
  });

  for (const dashboard of ['usage', 'clean-up'] as const) {
    for (const { title, query } of analystQueries(dashboard)) {
      it(`show data to an analyst: ${dashboard}, ${title}`, async () => {
        const rows = await readRows(analyst, asGrafanaAsks(query));
        expect(rows.length).to.be.greaterThan(0);
      });
    }
  }

  for (const { title, query } of queriesInFile('examples/grafana/exposure.json')) {
    it(`show data to an analyst: examples/grafana, ${title}`, async () => {
      const rows = await readRows(analyst, asGrafanaAsks(query));
      expect(rows.length).to.be.greaterThan(0);
    });
  }

  it('name the flags that the demo data make worth removing', async () => {
    expect(await featuresOf('The same for everybody')).to.deep.equal(['fast-search', 'search-ranking']);
    expect(await featuresOf('Not evaluated')).to.deep.equal(['dark-mode']);
    expect(await featuresOf('Archived and still called')).to.deep.equal(['old-search']);
    expect(await featuresOf('Called but unknown')).to.deep.equal(['new-chekout']);
  });

  it('show the configured share beside the served one', async () => {
    const panel = analystQueries('usage').find(({ title }) => title.endsWith('configured against served'));
    const rows = await readRows<{ configured: number | null; served: number }>(
      analyst,
      asGrafanaAsks(panel?.query ?? ''),
    );
    expect(new Set(rows.map(({ configured }) => configured))).to.deep.equal(new Set([90]));
    for (const { served } of rows) expect(served).to.be.within(80, 100);
  });

  it('find a disk', async () => {
    // The local engine has no asynchronous metrics. A server names these metrics after its disks.
    const disks = await world.query<{ name: string }>('select name from system.disks');
    const shown = disks.flatMap(({ name }) =>
      ['Available', 'Total'].map((member) => `ClickHouseAsyncMetrics_Disk${member}_${name}`),
    );
    const asked = healthQueries()
      .flatMap(({ query }) => selectorsOf(query))
      .flatMap(({ metric }) => (metric.startsWith('ClickHouse') ? metric : []));

    expect(asked.length).to.be.greaterThan(1);
    expect(shown).to.include.members([...new Set(asked)]);
  });

  async function featuresOf(panel: string): Promise<string[]> {
    const query = analystQueries('clean-up').find(({ title }) => title === panel)?.query ?? '';
    const rows = await readRows<{ feature: string }>(analyst, asGrafanaAsks(query));
    return rows.map(({ feature }) => feature);
  }
});

describe('the dashboard of pipeline health and the alert rules', () => {
  let world: World;
  let unleash: Upstream;
  let samples: readonly string[];

  before(async () => {
    world = await createWorld();
    // The worker looks at the relays when it starts.
    await storeReports(world, anArrivedReport('edge-1', Date.now()));
    await createTokens(world.db).create({
      ...{ secret: '*:production.a-token-that-ends-soon', name: 'ends soon', type: 'client', projects: [] },
      ...{ environment: 'production', expiresAt: Date.now() + 86_400_000 },
    });
    unleash = await startUpstream((_request, response) => response.writeHead(503).end());
    const ingest = await world.fork('ingest', { UNLEASH_URL: unleash.url });
    const others = await Promise.all([
      ...['worker', 'admin', 'standalone'].map((service) => world.fork(service)),
      world.fork('unleash-bridge', {
        UNLEASH_URL: unleash.url,
        UNLEASH_ADMIN_TOKEN: '*:*.an-admin-token-of-unleash',
        UNLEASH_MIRROR_TOKENS: '*:production.a-client-token-of-unleash',
      }),
    ]);
    const metrics = [aFreshMetric({ yes: 1 }), aFreshMetric({ environment: 'development', yes: 1 })];
    await post({ url: ingest.url }, { body: bodyOf({ metrics }) });
    await world.settled();
    for (const { url } of others) await fetch(`${url}/api/admin/projects`);
    samples = await eventually(
      async () => (await Promise.all([ingest, ...others].map(({ url }) => scrape(url)))).flat(),
      // The accounting is read again every ten seconds.
      (lines) =>
        lines.some((line) => /^flagmeter_accounting_metrics.*"counted"\} 1$/.test(line)) &&
        // The notifier looks at the tokens ten seconds after its start.
        ['flagmeter_relay_revision_lag{', 'flagmeter_tokens_next_end_timestamp_seconds{'].every((start) =>
          lines.some((line) => line.startsWith(start)),
        ),
    );
  });

  after(async () => {
    await world.dispose();
    await unleash.close();
  });

  for (const { title, query } of healthQueries()) {
    it(`use metrics and labels that the services export: ${title}`, () => {
      const selectors = selectorsOf(query).filter(({ metric }) => metric.startsWith('flagmeter'));

      for (const { metric, labels, values } of selectors) {
        const shown = samples.filter(
          (line) => line.startsWith(`${metric}{`) || line.startsWith(`${metric} `),
        );
        expect(shown, metric).to.not.deep.equal([]);
        const [first = ''] = shown;
        for (const label of labels) expect(first).to.include(`${label}="`);
        for (const [label, value] of values) expect(shown.join('\n')).to.include(`${label}="${value}"`);
      }
    });
  }

  it('alert on the conditions that operators must know', () => {
    const alerts = healthQueries().map(({ title }) => title);
    expect(alerts).to.include.members([
      ...['FlagmeterLag', 'FlagmeterBacklog', 'FlagmeterRefusals', 'FlagmeterDeadLetters'],
      ...['FlagmeterBreakerOpen', 'FlagmeterDeduplicationWindow', 'FlagmeterDisk'],
      ...['FlagmeterPassFailing', 'FlagmeterPassFull', 'FlagmeterMirrorToken', 'FlagmeterMirrorDelay'],
      'FlagmeterUnleashCatalogueLag',
    ]);
  });

  async function scrape(url: string): Promise<string[]> {
    return (await (await fetch(`${url}/internal-backstage/prometheus`)).text()).split('\n');
  }
});

/** Fills in the macros and variables of a query, for the last ten days. */
function asGrafanaAsks(query: string): string {
  return query
    .replaceAll('$__fromTime', `(now('UTC') - interval 10 day)`)
    .replaceAll('$__toTime', `now('UTC')`)
    .replaceAll('${environment}', 'production')
    .replaceAll('${feature}', 'price-experiment');
}
