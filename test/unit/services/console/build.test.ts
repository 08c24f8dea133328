import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { buildConsole } from '../../../../tools/console/build.ts';
import { createConsoleRouter } from '../../../../services/admin/http/console.ts';

/** The limit that the console promises: JavaScript as a browser downloads it for its first page. */
const MAX_SCRIPT_BYTES = 60_000;

describe('buildConsole', () => {
  let folder: string;

  before(async () => {
    folder = await mkdtemp(path.join(tmpdir(), 'console-'));
    await writeFile(path.join(folder, 'main-OLD.js'), '');
    await buildConsole(folder);
  });
  after(() => rm(folder, { recursive: true }));

  it('loads at most 60 kB of JavaScript, gzipped, for the first page', async () => {
    const page = await readFile(path.join(folder, 'index.html'), 'utf8');
    const scripts = [...page.matchAll(/"console\/([\w-]+\.js)"/g)].map(([, name = '']) => name);
    expect(scripts).to.have.lengthOf(2);
    const files = await Promise.all(scripts.map((name) => readFile(path.join(folder, `${name}.gz`))));
    const bytes = files.reduce((sum, { length }) => sum + length, 0);
    expect(bytes).to.be.within(5000, MAX_SCRIPT_BYTES);
  });

  it('leaves the pages that nobody sees first to a script of their own', async () => {
    const scripts = (await readdir(folder)).filter((name) => name.endsWith('.js.gz'));
    expect(scripts).to.have.lengthOf(3);
  });

  it('carries the licences of what it bundles, and names them in each script', async () => {
    const names = await readdir(folder);
    const licences = names.find((name) => /^licences-\w{8}\.txt$/.test(name)) ?? '';
    const text = await readFile(path.join(folder, licences), 'utf8');
    for (const library of ['preact', '@preact/signals', '@preact/signals-core', 'uplot'])
      expect(text).to.match(new RegExp(`^${library}\n(?:[^]*?\n)?Copyright `, 'm'));
    for (const script of names.filter((name) => name.endsWith('.js')))
      expect(await readFile(path.join(folder, script), 'utf8')).to.include(`/*! ${licences} */`);
  });

  it('never leaves a part of the console to a service that starts meanwhile', async () => {
    const names = await readdir(folder);
    const built = new AbortController();
    async function build(): Promise<void> {
      try {
        await Promise.all([buildConsole(folder), buildConsole(folder)]);
      } finally {
        built.abort();
      }
    }
    async function startServices(): Promise<void> {
      while (!built.signal.aborted) {
        expect(createConsoleRouter(folder, 'none')).to.not.equal(undefined);
        await setImmediate();
      }
    }
    await Promise.all([build(), startServices()]);
    expect(await readdir(folder)).to.have.members(names);
  });

  it('removes the files of earlier builds', async () => {
    expect(await readdir(folder)).to.not.include('main-OLD.js');
  });

  it('refers to no other origin', async () => {
    const page = await readFile(path.join(folder, 'index.html'), 'utf8');
    expect(page.match(/(?:src|href)="(?!console\/|data:)/g)).to.equal(null);
  });
});
