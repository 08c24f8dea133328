import { writeFileSync } from 'node:fs';
import { expect } from 'chai';
import { type ClickHouse, openClickHouse } from '#clickhouse';
import { loadCookbookData } from '../../support/documents/cookbook-world.ts';
import {
  exportsOf,
  isToBeWritten,
  readCookbook,
  recipesOf,
  withResults,
} from '../../support/documents/cookbook.ts';
import { type OwnClickHouse, ownClickHouse } from '../../support/engines/own-engines.ts';
import { type World, createWorld } from '../../support/world.ts';

describe('docs/use/cookbook.md', function () {
  this.timeout(300_000);
  const book = readCookbook();
  const recipes = recipesOf(book);
  let engine: OwnClickHouse;
  let world: World;
  let analyst: ClickHouse;

  before(async () => {
    engine = await ownClickHouse();
    // The grants of the local engine name the default database.
    world = await createWorld({ ...engine.access, CLICKHOUSE_DATABASE: 'flagmeter' });
    analyst = openClickHouse({ ...world.config.clickhouse, username: 'analyst' });
    await loadCookbookData(world);
    if (!isToBeWritten()) return;
    const results: string[] = [];
    for (const { sql } of recipes) results.push(await resultOf(sql));
    writeFileSync('docs/use/cookbook.md', withResults(book, results));
  });

  after(async () => {
    await analyst.close();
    await world.dispose();
    await engine.dispose();
  });

  it('answers more than 30 questions, each with a result, a chart and a warning', () => {
    const questions = book.match(/^### /gm) ?? [];

    expect(recipes.length).to.be.greaterThan(30);
    expect(recipes.length).to.equal(questions.length);
    expect(book.match(/^\*Chart:\* /gm) ?? []).to.have.length(recipes.length);
    expect(book.match(/^\*Beware:\* /gm) ?? []).to.have.length(recipes.length);
  });

  for (const { title, sql, result } of recipes) {
    it(`returns the printed result: ${title}`, async () => {
      expect(await resultOf(sql)).to.equal(isToBeWritten() ? await resultOf(sql) : result);
    });
  }

  it('exports to Parquet and CSV in one line each', async () => {
    const [parquet, csv] = await Promise.all(exportsOf(book).map(fetchExport));

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

  async function fetchExport({ url, sql, file }: ReturnType<typeof exportsOf>[number]) {
    const own = new URL(url);
    own.host = new URL(engine.address).host;
    const credentials = btoa(`analyst:${world.config.clickhouse.password}`);
    const headers = { authorization: `Basic ${credentials}` };
    const answer = await fetch(own, { method: 'POST', body: sql, headers });
    return { file, bytes: Buffer.from(await answer.arrayBuffer()) };
  }
});
