import { expect } from 'chai';
import { syncEvents } from '#fleet/catalogue';
import { type ClickHouse, openClickHouse, readRows } from '#core/clickhouse';
import { loadCookbookData } from '../../support/documents/cookbook/cookbook-world.ts';
import {
  type Export,
  isToBeWritten,
  readCookbook,
  readExports,
  readRecipes,
  readResults,
  writeResults,
} from '../../../tools/docs/cookbook.ts';
import {
  analystQueries,
  healthQueries,
  queriesInFile,
  selectorsOf,
} from '../../support/documents/dashboards.ts';
import { someByDay } from '../../support/nightly.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/stack/engines/own-engines.ts';
import { type World, createWorld } from '../../support/world.ts';
import { testUsers } from './users.ts';

describe('the demo data', function () {
  this.timeout(900_000); // near midnight it waits
  let engine: OwnClickHouse;
  let world: World;
  let analyst: ClickHouse;

  before(async () => {
    engine = await ownClickHouse();
    // The grants of the local engine name the default database.
    world = await createWorld({ ...engine.access, CLICKHOUSE_DATABASE: 'flagmeter' });
    analyst = openClickHouse({ ...world.config.clickhouse, username: 'analyst' });
    await loadCookbookData(world);
  });

  after(async () => {
    await analyst.close();
    await world.dispose();
    await engine.dispose();
  });

  describe('docs/use/analysts/cookbook.md', () => {
    const recipes = readRecipes();

    before(async () => {
      if (!isToBeWritten()) return;
      const results = new Map<string, string>();
      for (const { title, sql } of recipes) results.set(title, await resultOf(sql));
      writeResults(results);
    });

    it('answers more than 30 questions, each with a result and a warning', () => {
      const questions = recipes.map(({ title }) => title);
      expect(questions.length).to.be.greaterThan(30);
      expect([...readResults().keys()]).to.deep.equal(questions);
      for (const { title, notes } of recipes) {
        expect(title).to.match(/\?$/);
        expect(notes, title).to.match(/^-- Beware: /m);
      }
    });

    it('runs every query of its files', () => {
      const queries = [...readCookbook().values()].join('\n').match(/;$/gm) ?? [];
      expect(queries).to.have.length(recipes.length);
    });

    for (const { title, sql } of someByDay(recipes, 1 / 3)) {
      it(`returns the printed result: ${title}`, async () => {
        expect(await resultOf(sql)).to.equal(readResults().get(title));
      });
    }

    it('exports to Parquet and CSV in one line each', async () => {
      const [parquet, csv] = await Promise.all(readExports().map(fetchExport));

      expect(parquet?.file).to.match(/\.parquet$/);
      expect(parquet?.bytes.subarray(0, 4).toString()).to.equal('PAR1');
      expect(parquet?.bytes.subarray(-4).toString()).to.equal('PAR1');
      expect(csv?.bytes.toString().split('\n')[0]).to.equal(
        '"day","environment","feature_name","app_name","yes","no"',
      );
      expect(csv?.bytes.toString().split('\n').length).to.be.greaterThan(100);
    });

    async function resultOf(sql: string): Promise<string> {
      const { stream } = await analyst.exec({
        query: `${sql}\nformat PrettyCompactMonoBlock`,
        clickhouse_settings: {
          output_format_pretty_row_numbers: 0,
          output_format_pretty_single_large_number_tip_threshold: '0',
          output_format_pretty_color: 0,
        },
      });
      return (await stream.toArray()).map(String).join('');
    }

    async function fetchExport({ url, sql, file }: Export) {
      const own = new URL(url);
      own.host = new URL(engine.address).host;
      const credentials = btoa(`analyst:${world.config.clickhouse.password}`);
      const headers = { authorization: `Basic ${credentials}` };
      const answer = await fetch(own, { method: 'POST', body: sql, headers });
      return { file, bytes: Buffer.from(await answer.arrayBuffer()) };
    }
  });

  describe('the dashboards of usage and clean-up', () => {
    before(async () => {
      await world.db.query(`
        insert into events (created_at, type, created_by, environment, feature_name)
        values (now() - interval '2 days', 'feature-environment-enabled', 'ada', 'production', 'price-experiment')`);
      await syncEvents(world.db, world.clickhouse);
    });

    for (const dashboard of ['usage', 'clean-up'] as const) {
      for (const { title, query } of someByDay(analystQueries(dashboard), 1 / 3)) {
        it(`show data to an analyst: ${dashboard}, ${title}`, async () => {
          const rows = await readRows(analyst, asGrafanaAsks(query));
          expect(rows.length).to.be.greaterThan(0);
        });
      }
    }

    const usesName = ({ query }: { readonly query: string }): boolean => query.includes(':percentencode}');
    const withName = (['usage', 'clean-up'] as const).flatMap(analystQueries).filter(usesName);
    for (const { title, query } of someByDay(withName, 1 / 3))
      it(`take a name with quotes and backslashes as a name: ${title}`, async () => {
        const ask = (name: string) =>
          readRows(analyst, asGrafanaAsks(query, { environment: name, feature: name }));
        const ofNobody = await ask('nobody');
        for (const name of HOSTILE) expect(await ask(name), name).to.deep.equal(ofNobody);
      });

    it('compare with the name itself, whatever is in it', async () => {
      for (const name of HOSTILE) {
        const query = asGrafanaAsks(`select decodeURLComponent('\${feature:percentencode}') as name`, {
          feature: name,
        });
        expect(await readRows(analyst, query)).to.deep.equal([{ name }]);
      }
    });

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

  // Here, because a further ClickHouse takes seconds of CPU to start.
  describe('the users of ClickHouse for queries', () => {
    testUsers(() => ({ world, analyst }));
  });
});

/** Names that end a text, are a macro or a variable of Grafana, look encoded, or are longer in bytes than in letters. */
const HOSTILE = [
  `it's \\`,
  `\\' or 1 = 1 -- `,
  `' or 1 = 1 /* a%27b+c`,
  '$__fromTime $__timeFilter(day) ${environment} [[environment]] {a,b}',
  'löschen 漢字 \u{1F642}\u202Egnp',
];

/** Fills in the variables of a query, and then the macros, as Grafana does, for the last ten days. */
const CHOSEN = { environment: 'production', feature: 'price-experiment' };

function asGrafanaAsks(query: string, values: Readonly<Record<string, string>> = CHOSEN): string {
  return query
    .replaceAll(/\$\{(\w+):percentencode\}/g, (_, name: string) => percentEncoded(values[name] ?? ''))
    .replaceAll('$__fromTime', () => `(now('UTC') - interval 10 day)`)
    .replaceAll('$__toTime', () => `now('UTC')`);
}

/** As Grafana does it. */
function percentEncoded(value: string): string {
  return encodeURIComponent(value).replace(/[!'()*]/g, (one) => `%${one.charCodeAt(0).toString(16)}`);
}
