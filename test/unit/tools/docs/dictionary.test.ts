import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { dbtExposures } from '../../../../tools/docs/dbt-exposures.ts';
import { dbtSources } from '../../../../tools/docs/dbt-sources.ts';
import { columnsOf, dictionaryOf, readViews } from '../../../../tools/docs/dictionary.ts';

describe('the data dictionary', () => {
  it('of docs/use/analysts/dictionary.md and .csv matches the migrations: run "make dictionary"', async () => {
    const views = await readViews();
    expect(dictionaryOf(views)).to.equal(readFileSync('docs/use/analysts/dictionary.md', 'utf8'));
    expect(columnsOf(views)).to.equal(readFileSync('docs/use/analysts/dictionary.csv', 'utf8'));
  });

  it('is described in infra/dbt/models/sources.yml: run "make dictionary"', async () => {
    expect(dbtSources(await readViews())).to.equal(readFileSync('infra/dbt/models/sources.yml', 'utf8'));
  });

  it('names the views of each dashboard in infra/dbt/models/exposures.yml: run "make dictionary"', async () => {
    const exposures = readFileSync('infra/dbt/models/exposures.yml', 'utf8');

    for (const view of ['feature_verdicts', 'rollout_by_hour', 'events'])
      expect(exposures).to.include(`source('flagmeter', '${view}')`);
    expect(await dbtExposures(await readViews())).to.equal(exposures);
  });

  it('quotes column names that YAML 1.1 would read as booleans, such as yes', () => {
    const { sources } = parse(readFileSync('infra/dbt/models/sources.yml', 'utf8'), {
      version: '1.1',
    }) as Sources;
    const names = sources.flatMap(({ tables }) => tables.flatMap(({ columns }) => columns));

    expect(names.map(({ name }) => name)).to.include.members(['yes', 'no']);
    expect(names.filter(({ name }) => typeof name !== 'string')).to.deep.equal([]);
  });

  it('has a comment for every view and column', async () => {
    const views = await readViews();
    const comments = views.flatMap(({ comment, columns }) => [
      comment,
      ...columns.map((column) => column.comment),
    ]);

    expect(views.length).to.be.greaterThan(10);
    expect(comments.filter((comment) => comment.trim().length < 5)).to.deep.equal([]);
  });
});

type Sources = { sources: { tables: { columns: { name: unknown }[] }[] }[] };

describe('the role analyst', () => {
  it('may read every view, in SQL for a server and in XML for the local engine', async () => {
    const names = (await readViews()).map(({ name }) => name);

    expect(grantsOf('infra/clickhouse/analyst.sql')).to.deep.equal(names);
    expect(grantsOf('infra/clickhouse/users.xml')).to.deep.equal(names);
  });
});

function grantsOf(file: string): string[] {
  const grants = readFileSync(file, 'utf8').matchAll(/grant select on flagmeter\.(\w+)/g);
  return Array.from(grants, ([, name = '']) => name).sort((a, b) => a.localeCompare(b));
}
