import { readdir } from 'node:fs/promises';
import { expect } from 'chai';
import { readMigration } from '#core/clickhouse';
import {
  readOtherViews,
  renderForAllShards,
} from '../../../../../packages/core/clickhouse/client/all-shards.ts';

const OPTIONS = { database: 'flagmeter', cluster: "it's" };
const MIGRATIONS = 'infra/migrations/clickhouse';

describe('a statement of a migration, for the database that reads all shards', () => {
  it('creates a distributed table over the table of each shard', () => {
    expect(
      render('create table if not exists blocks {on_cluster} (topic String) engine = {engine}MergeTree'),
    ).to.equal(
      "create table if not exists blocks as `flagmeter_shard`.blocks engine = Distributed('it\\'s', 'flagmeter_shard', 'blocks')",
    );
  });

  it("reads the server's own copy of the catalogue", () => {
    expect(
      render('create table if not exists feature_copies (name String) engine = {engine}MergeTree'),
    ).to.match(/engine = Merge\('flagmeter_shard', '\^feature_copies\$'\)$/);
  });

  it('stores nothing', () => {
    expect(
      render('create table if not exists days {on_cluster} (day Date) engine = MergeTree order by day'),
    ).to.equal('create table if not exists days  (day Date) engine = MergeTree order by day');
    for (const table of ['block_rows', 'mixed_block_rows'])
      expect(render(`create table if not exists ${table} (kind String) engine = Null`)).to.equal(undefined);
    expect(render('create materialized view if not exists a to b as select 1')).to.equal(undefined);
  });

  it('is that of a single server for a view that is computed again and again', () => {
    const view = 'create materialized view if not exists a {on_cluster}\nrefresh after 1 minute\nas select 1';
    expect(render(view)).to.equal(view.replace('{on_cluster}', ''));
  });

  it('merges a key that several shards hold', () => {
    const view = render('create view if not exists v as select * from feature_app_seen_states final');
    expect(view).to.include('group by feature_name, environment, app_name').and.not.include(' final');
    expect(render('create view if not exists v as select * from feature_copies final')).to.include(' final');
  });

  it('is rejected if its sums could be wrong', () => {
    const merged = 'create view if not exists v as select * from usage_daily final';
    expect(() => render(merged)).to.throw(
      'a view reads usage_daily with final, which does not merge several shards',
    );
    expect(() => render('alter table usage_daily drop column no')).to.throw(
      'without a rule for several shards',
    );
  });

  it('has a text for every statement of the migrations', async () => {
    const others = await readOtherViews(MIGRATIONS);
    for (const file of (await readdir(MIGRATIONS)).filter((name) => name.endsWith('.sql')))
      for (const statement of (await readMigration(MIGRATIONS, file)).split(/;\s*$/m))
        if (statement.trim() !== '') renderForAllShards(statement, OPTIONS, others);
    expect([...others.keys()]).to.deep.equal(['retention']);
  });
});

function render(statement: string): string | undefined {
  return renderForAllShards(statement, OPTIONS, new Map());
}
