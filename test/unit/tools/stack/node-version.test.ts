import { expect } from 'chai';
import { readFile } from 'node:fs/promises';

describe('the Node that make uses', () => {
  it('has the major version of the image on each platform', async () => {
    const [dockerfile, manifest] = await Promise.all([
      readFile('infra/Dockerfile', 'utf8'),
      readFile('tools/stack/manifests/node/package.json', 'utf8'),
    ]);
    const major = /^ARG NODE_IMAGE=node:(\d+)\./mu.exec(dockerfile)?.[1];
    const { optionalDependencies } = JSON.parse(manifest) as { optionalDependencies: Record<string, string> };
    const majors = Object.values(optionalDependencies).map((version) => version.split('.')[0]);
    expect(new Set(majors)).to.deep.equal(new Set([major]));
  });
});
