import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { readMigration } from '#core/clickhouse';
import { renderStatement } from '../../../../../packages/core/clickhouse/client/render-statement.ts';

const SINGLE = { database: 'flagmeter', enginePrefix: '', cluster: '' } as const;
const REPLICATED = { ...SINGLE, enginePrefix: 'Replicated' } as const;
const MIGRATIONS = 'infra/migrations/clickhouse';

describe('a statement of a ClickHouse migration', () => {
  const table = `create table if not exists usage {on_cluster}
(
    yes UInt64
)
engine = {engine}SummingMergeTree((yes, no))
order by yes`;

  it('creates a table of a single server without a path', () => {
    expect(renderStatement(table, SINGLE)).to.include('\nengine = SummingMergeTree((yes, no))\n');
    expect(renderStatement('engine = {engine}MergeTree', SINGLE)).to.equal('engine = MergeTree');
  });

  it('creates a replicated table with its path and replica name before the parameters of the engine', () => {
    expect(renderStatement(table, REPLICATED)).to.include(
      "\nengine = ReplicatedSummingMergeTree('/clickhouse/tables/{shard}/flagmeter/usage', '{replica}', (yes, no))\n",
    );
  });

  it('gives tables of different databases different paths, whatever their names hold', () => {
    const rendered = renderStatement(table, { ...REPLICATED, database: "it's/{x}" });

    expect(rendered).to.include("'/clickhouse/tables/{shard}/it\\'s%2F%7Bx%7D/usage'");
  });

  it('gives the tables of a shard a path with its number, because the macro of its server may be wrong', () => {
    const rendered = renderStatement(table, { ...REPLICATED, shard: { number: 1, of: 2 } });

    expect(rendered).to.include("'/clickhouse/tables/{shard}/flagmeter/1/usage'");
  });

  it('names the cluster, if there is one', () => {
    const view = 'create view if not exists usage_by_day {on_cluster} as select 1';
    const rendered = renderStatement(view, { ...REPLICATED, cluster: 'main' });

    expect(rendered).to.equal('create view if not exists usage_by_day on cluster `main` as select 1');
    expect(renderStatement(view, REPLICATED)).to.equal('create view if not exists usage_by_day  as select 1');
  });
});

describe('the ClickHouse migrations', () => {
  it('leave no placeholder behind, and never change the query of a view', async () => {
    const files = (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql'));
    const texts = await Promise.all(files.map((name) => readMigration(MIGRATIONS, name)));
    for (const statement of texts.flatMap((text) => text.split(/;\s*$/m))) {
      const code = statement.replace(/^\s*--.*$/gm, '');
      for (const options of [SINGLE, REPLICATED])
        expect(renderStatement(code, options)).not.to.match(/\{(?:engine|on_cluster|database)\}/);
      // After a restart, the changed view would not recognise tokens of earlier INSERTs.
      expect(code).not.to.match(/modify\s+query/i);
    }
  });
});
