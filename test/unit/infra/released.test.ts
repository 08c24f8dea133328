import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { readDocuments } from '../../support/documents/documents.ts';
import { readVersion } from '#base/version';

/** Files that name what a release publishes, besides the documents. */
const FILES = ['infra/compose.yaml', 'infra/helm/flagmeter/values.yaml'];
const REFERENCE = /ghcr\.io\/flagmeter\/([\w/-]+)(?:(?::| --version )(\d+\.\d+\.\d+[\w.-]*))?/g;

describe('what a release publishes', () => {
  const version = readVersion();
  const release = readFileSync('.github/workflows/release.yml', 'utf8');
  const published = [
    ...[...release.matchAll(/image="\$\{REGISTRY,,\}\/([\w-]+)"/g)].map(([, name]) => name),
    ...[...release.matchAll(/charts="\$\{REGISTRY,,\}\/([\w-]+)"/g)].map(
      ([, folder]) => `${folder}/flagmeter`,
    ),
  ];
  const named = [
    ...readDocuments(),
    ...FILES.map((file) => ({ file, text: readFileSync(file, 'utf8') })),
  ].flatMap(({ file, text }) =>
    [...text.matchAll(REFERENCE)].map(([, name, at]) => ({ file, name, version: at })),
  );

  it('is named by the documents, compose and the chart, and nothing else is', () => {
    expect(new Set(named.map(({ name }) => name))).to.deep.equal(new Set(published));
    expect(named.map(({ file }) => file)).to.include.members(FILES);
  });

  it('has the version of package.json wherever a version is named', () => {
    const others = named.filter((reference) => (reference.version ?? version) !== version);
    expect(others).to.deep.equal([]);
    expect(named.filter((reference) => reference.version === version)).to.have.length.above(4);
    const chart = parse(readFileSync('infra/helm/flagmeter/Chart.yaml', 'utf8')) as unknown;
    expect(chart).to.include({ version, appVersion: version });
  });
});
