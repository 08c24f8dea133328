import { mkdtemp, readFile, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { buildConsole } from '../../../infra/console/build.ts';

/** The limit that the console promises: JavaScript as a browser downloads it. */
const MAX_SCRIPT_BYTES = 60_000;

describe('buildConsole', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'console-'));
    await buildConsole(folder);
  });
  after(() => rm(folder, { recursive: true }));

  it('writes at most 60 kB of JavaScript, gzipped', async () => {
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js.gz'));
    expect(scripts).to.have.lengthOf(1);
    const [script = ''] = scripts;
    expect((await readFile(path.join(folder, script))).length).to.be.within(5000, MAX_SCRIPT_BYTES);
  });

  it('refers to no other origin', async () => {
    const page = await readFile(path.join(folder, 'index.html'), 'utf8');
    expect(page.match(/(?:src|href)="(?!console\/|data:)/g)).to.equal(null);
  });
});
