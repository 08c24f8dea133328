import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { parse } from 'yaml';
import { checkCompose } from '../../../support/documents/compose.ts';

const FILE = 'examples/edge/compose.yaml';

describe(FILE, () => {
  const text = readFileSync(FILE, 'utf8');

  it('follows the specification of Compose', () => {
    expect(() => {
      checkCompose(parse(text), FILE);
    }).not.to.throw();
  });

  it('runs the version of Edge whose sources docs/develop/unleash.md describes', () => {
    const [, version = ''] = /unleash-edge:v([\d.]+)/.exec(text) ?? [];
    expect(readFileSync('docs/develop/unleash.md', 'utf8')).to.include(`Edge ${version}`);
  });
});
