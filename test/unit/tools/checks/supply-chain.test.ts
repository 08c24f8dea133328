import { execFileSync } from 'node:child_process';
import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { parse } from 'yaml';

const root = path.join(import.meta.dirname, '../../../..');
const WORKFLOWS = '.github/workflows';
/** Versions that the documents name: of Unleash, an SDK and a hook. They are only for tests, which install them unmodified. */
const LEFT_OUT = [
  '/tools/stack/manifests/unleash',
  '/tools/stack/manifests/java-sdk',
  '/tools/stack/manifests/older-sdks',
];
const isLeftOut = (place: string): boolean => LEFT_OUT.some((folder) => place.endsWith(folder));
/** Which ecosystem of Dependabot a file belongs to. */
const ECOSYSTEMS: readonly (readonly [string, RegExp])[] = [
  ['npm', /^package-lock\.json$/],
  ['docker', /^Dockerfile$/],
  ['docker-compose', /^compose.*\.yaml$/],
  ['maven', /^pom\.xml$/],
  ['pip', /^requirements\.txt$/],
  ['gomod', /^go\.mod$/],
];

type Updates = {
  readonly updates: readonly {
    readonly 'package-ecosystem': string;
    readonly directory?: string;
    readonly directories?: readonly string[];
  }[];
};

describe('the supply chain', () => {
  it('pins each action of the workflows to a commit, and names its version', () => {
    const uses = readdirSync(path.join(root, WORKFLOWS)).flatMap((file) =>
      read(`${WORKFLOWS}/${file}`)
        .split('\n')
        .filter((line) => /\buses:/.test(line)),
    );
    expect(uses).to.have.length.above(5);
    expect(
      uses.filter((line) => !/uses: [\w-]+\/[\w-]+@[\da-f]{40} # v\d+\.\d+\.\d+$/.test(line)),
    ).to.deep.equal([]);
  });

  it('updates the dependencies of every folder by dependabot.yml', () => {
    const { updates } = parse(read('.github/dependabot.yml')) as Updates;
    const covered = updates.flatMap(({ directory, directories = [], ...update }) =>
      [...directories, ...(directory === undefined ? [] : [directory])].map(
        (folder) => `${update['package-ecosystem']} ${folder}`,
      ),
    );
    const files = execFileSync('git', ['ls-files'], { cwd: root, encoding: 'utf8' }).split('\n');
    const needed = files.flatMap((file) =>
      ECOSYSTEMS.filter(([, name]) => name.test(path.basename(file))).map(
        ([ecosystem]) => `${ecosystem} ${path.join('/', path.dirname(file))}`,
      ),
    );
    expect(covered.sort()).to.deep.equal(
      [...new Set(['github-actions /', ...needed])].filter((place) => !isLeftOut(place)).sort(),
    );
  });

  it('scans every lock file for advisories', () => {
    const [, scanned = ''] = /^\.PHONY: advisories$([^]*?)^\.PHONY/m.exec(read('Makefile')) ?? [];
    const locks = execFileSync('git', ['ls-files', '*package-lock.json'], { cwd: root, encoding: 'utf8' });
    const named = [...scanned.matchAll(/--lockfile ([\w./-]+)/g)].map(([, file = '']) => file);
    expect(named.sort()).to.deep.equal(
      locks
        .split('\n')
        .filter((file) => file !== '' && !isLeftOut(`/${path.dirname(file)}`))
        .sort(),
    );
  });

  it('publishes the very package that the test of it installed', () => {
    const release = read(`${WORKFLOWS}/release.yml`);
    const tested = release.indexOf('make test-package PACKAGE="$PACKAGE"');
    expect(tested).to.be.above(0);
    expect(release.indexOf('npm publish "$PACKAGE"')).to.be.above(tested);
  });

  it('signs the images and the chart by the digests that were pushed', () => {
    const release = read(`${WORKFLOWS}/release.yml`);
    expect(release.match(/cosign" sign --yes "[^"]+@\$digest"/g)).to.have.lengthOf(3);
  });
});

function read(file: string): string {
  return readFileSync(path.join(root, file), 'utf8');
}
