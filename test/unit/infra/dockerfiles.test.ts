import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect } from 'chai';

const root = join(import.meta.dirname, '../../..');
const dockerfile = readFileSync(join(root, 'infra/Dockerfile'), 'utf8');

describe('infra/Dockerfile.try', () => {
  const text = readFileSync(join(root, 'infra/Dockerfile.try'), 'utf8');

  it('copies files that exist and that .dockerignore admits', () => {
    const sources = copiedSources(text);
    expect(sources).to.include('packages/tooling/stack/manifests');
    expect(sources.filter((source) => !isInBuildContext(source))).to.deep.equal([]);
  });

  it('contains the image of flagmeter, and does not run as root', () => {
    expect(text.match(/^FROM (.+)$/gm)).to.deep.equal([
      'FROM ${FLAGMETER_IMAGE} AS flagmeter',
      'FROM flagmeter AS engines',
      'FROM flagmeter',
    ]);
    expect(text.match(/^USER (.+)$/gm)?.at(-1)).to.equal('USER node');
  });

  it('says that it is not for production', () => {
    expect(text.split('\n')[0]).to.include('NOT for production');
  });
});

describe('infra/Dockerfile', () => {
  it('copies files that exist and that .dockerignore admits, including the migrations', () => {
    expect(copiedSources(dockerfile)).to.include.members(['packages', 'services', 'infra/migrations']);
    expect(copiedSources(dockerfile).filter((source) => !isInBuildContext(source))).to.deep.equal([]);
  });

  it('starts a program that has a source file', () => {
    expect(hasSource(/^CMD \["node", "(.+?)"/m.exec(dockerfile)?.[1])).to.equal(true);
  });

  it('runs no install scripts, and begins with an exact version of Node', () => {
    expect(dockerfile.match(/npm ci(?! --ignore-scripts)/g)).to.equal(null);
    expect(dockerfile).to.match(/^ARG NODE_IMAGE=node:\d+\.\d+\.\d+-slim@sha256:[0-9a-f]{64}$/m);
  });

  it('does not run as root', () => {
    expect(dockerfile.match(/^USER (.+)$/gm)).to.deep.equal(['USER node']);
  });
});

function copiedSources(text: string): readonly string[] {
  const copies = [...text.matchAll(/^COPY (?!--from)(.+) \S+$/gm)];
  return copies.flatMap(([, sources = '']) => sources.split(' '));
}

function isInBuildContext(source: string): boolean {
  const allowed = [...readFileSync(join(root, '.dockerignore'), 'utf8').matchAll(/^!(.+)$/gm)];
  const isAllowed = allowed.some(([, name]) => `${source}/`.startsWith(`${name}/`));
  return isAllowed && existsSync(join(root, source));
}

function hasSource(path = 'no path'): boolean {
  return existsSync(join(root, path.replace(/^dist\/(.+)\.js$/, '$1.ts')));
}
