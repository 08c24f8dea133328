import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import { REPORTER } from '../../../../tools/run/suite/mocha.ts';
import { eventually } from '../../../support/eventually.ts';

const FAILING = "it('fails', () => { throw new Error('the reason') })";
/** Passes when there is a file `seen` beside it. */
const WAITING = `it('waits', (done) => {
  const look = setInterval(() => {
    if (!require('node:fs').existsSync(__dirname + '/seen')) return
    clearInterval(look)
    done()
  }, 20)
})`;

describe('the reporter of make test', () => {
  let folder: string;

  beforeEach(() => {
    folder = mkdtempSync(path.resolve('.local', 'reporter-'));
  });
  afterEach(() => {
    rmSync(folder, { recursive: true });
  });

  it('shows why a test failed while other files of the group still run', async () => {
    writeFileSync(path.join(folder, 'failing.cjs'), FAILING);
    writeFileSync(path.join(folder, 'waiting.cjs'), WAITING);
    const files = ['failing.cjs', 'waiting.cjs'].map((name) => path.join(folder, name));
    const args = ['--no-config', '--reporter', REPORTER, '--timeout', '60000', '--parallel', '--jobs', '2'];
    const mocha = spawn('node_modules/.bin/mocha', [...args, '--node-option', 'import=tsx', ...files]);
    let printed = '';
    for (const stream of [mocha.stdout, mocha.stderr])
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const ended = once(mocha, 'close');
    await eventually(
      () => Promise.resolve(printed),
      (text) => text.includes('Error: the reason') || mocha.exitCode !== null,
    );
    expect(printed).to.not.include('passing');
    writeFileSync(path.join(folder, 'seen'), '');
    await ended;

    expect(printed).to.match(/1 passing[^]*1 failing/);
  });
});
