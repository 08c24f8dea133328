import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const MIGRATIONS = 'infra/migrations';

describe('the tables in docs/operate/backup.md', () => {
  for (const engine of ['postgres', 'clickhouse'])
    it(`are all of ${engine}, each with what a partial restore means for it`, () => {
      expect(listed(engine)).to.have.members(tablesOf(engine));
    });
});

/** What the migrations create. */
function tablesOf(engine: string): string[] {
  const folder = join(MIGRATIONS, engine);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.sql'))
    .flatMap((file) => [
      ...readFileSync(join(folder, file), 'utf8').matchAll(/^create table (?:if not exists )?(\w+)/gm),
    ])
    .map(([, name = '']) => name);
}

/** The names in the first column of the table of this engine. */
function listed(engine: string): string[] {
  const page = readFileSync('docs/operate/backup.md', 'utf8');
  const heading = engine === 'postgres' ? 'tables of Postgres' : 'tables of ClickHouse';
  const [, rows = ''] = new RegExp(`^\\| ${heading} \\|.*\n\\|---.*\n((?:\\|.*\n)+)`, 'm').exec(page) ?? [];
  return rows
    .split('\n')
    .flatMap((row) => [...(row.split('|')[1] ?? '').matchAll(/`(\w+)`/g)].map(([, name = '']) => name));
}
