import { readFileSync } from 'node:fs';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { expect } from 'chai';
import { parse } from 'yaml';
import composeSpec from '../../fixtures/compose-spec.json' with { type: 'json' };

const FILE = 'examples/edge/compose.yaml';

describe(FILE, () => {
  const text = readFileSync(FILE, 'utf8');

  it('follows the specification of Compose', () => {
    const validate = new Ajv2020({ strict: false, logger: false }).compile(composeSpec);
    expect(validate(parse(text)), JSON.stringify(validate.errors)).to.equal(true);
  });

  it('runs the version of Edge whose sources docs/develop/unleash.md describes', () => {
    const [, version = ''] = /unleash-edge:v([\d.]+)/.exec(text) ?? [];
    expect(readFileSync('docs/develop/unleash.md', 'utf8')).to.include(`Edge ${version}`);
  });
});
