import { readFileSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';
import { queriesInFile } from '../../support/documents/dashboards.ts';

const files = ['infra/grafana/dashboards', 'examples/grafana']
  .flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)))
  .filter((file) => file.endsWith('.json') && readFileSync(file, 'utf8').includes('rawSql'));

/** Doubling quotes would not be enough, because a backslash escapes a quote in ClickHouse. */
const SAFE = /decodeURLComponent\('\$\{\w+:percentencode\}'\)/g;
/** Macros of the data source: `$__fromTime`. */
const OTHER = /\$(?!__)|\[\[/;

describe('the queries of the dashboards', () => {
  for (const file of files)
    for (const { title, query } of queriesInFile(file))
      it(`take values of variables as text: ${file}, ${title}`, () => {
        expect(query.replaceAll(SAFE, '')).to.not.match(OTHER);
      });

  it('are found', () => {
    expect(files.length).to.be.above(2);
  });

  for (const file of files)
    for (const { title, query } of queriesInFile(file).filter(({ title: name }) =>
      name.startsWith('variable '),
    ))
      it(`offer names of the catalogue before names that only somebody sent: ${file}, ${title}`, () => {
        expect(query).to.match(/order by \w+ not in \(select \w+ from (features|environments)\), \w+$/);
      });
});
