import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { COPIED_TABLES } from '#fleet/catalogue';

const FOLDER = 'infra/migrations/clickhouse';

describe('the tables with copies in ClickHouse', () => {
  it('are all in the list that the worker, doctor and the tests of restores use', () => {
    const created = readdirSync(FOLDER)
      .filter((file) => file.endsWith('.sql'))
      .flatMap((file) => [
        ...readFileSync(join(FOLDER, file), 'utf8').matchAll(/^create table if not exists (\w+_copies)/gm),
      ])
      .map(([, name]) => name);
    expect(COPIED_TABLES.map(({ copies }) => copies)).to.have.members(created);
  });
});
