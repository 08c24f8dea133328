import { readFileSync } from 'node:fs';
import { expect } from 'chai';
import { whyTooOld } from '#base/version';

describe('the version of Node', () => {
  const { engines } = JSON.parse(readFileSync('package.json', 'utf8')) as { engines: { node: string } };
  const oldest = engines.node.replace('>=', '');

  it('is at least that of package.json', () => {
    expect(whyTooOld(`${oldest}.0`)).to.equal(undefined);
    expect(whyTooOld('24.0.0')).to.equal(undefined);
  });

  it('may not be older, and then the message names both and a way without an installation', () => {
    for (const old of ['22.11.0', '20.20.2', '8.0.0'])
      expect(whyTooOld(old))
        .to.include(`Node ${oldest} or newer`)
        .and.include(old)
        .and.include('npx --package node@');
  });
});
