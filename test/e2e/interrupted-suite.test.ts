import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { cp, realpath, rm } from 'node:fs/promises';
import path from 'node:path';
import { expect } from 'chai';
import { descendantsOf, downStack, isAlive } from '../../tools/stack/index.ts';
import { inheritedEnv } from '../../tools/clock/inherited-env.ts';
import { eventually } from '../support/eventually.ts';
import { copyCheckout } from './checkout.ts';
import { describeNightly } from '../support/nightly.ts';
import { FROM_SOURCES } from '../../tools/run/from-sources.ts';

/** Compiling, and two of each engine, on a busy machine. */
const START_MS = 250_000;
/** In memory, if this machine has room. */
const DATA = ['.local/test/data', '.local/test-engines'];

describeNightly('make test', function () {
  this.timeout(START_MS + 100_000);
  let directory: string;
  let suite: ChildProcess;
  let printed: string;
  let pids: readonly number[];
  let data: readonly string[];

  before(async () => {
    directory = await copyCheckout();
    for (const name of ['test', '.mocharc.json'])
      await cp(name, path.join(directory, name), { recursive: true });
  });
  beforeEach(startSuite);
  afterEach(async () => {
    for (const pid of pids) if (await isAlive(pid)) process.kill(pid, 'SIGKILL');
    await downStack(path.join(directory, '.local/test'));
    for (const folder of data) await rm(folder, { recursive: true, force: true });
  });
  after(() => rm(directory, { recursive: true, force: true }));

  it('ends with Ctrl-C, engines and data included', async () => {
    process.kill(-(suite.pid ?? 0), 'SIGINT');
    await expectNothingLeft();
  });

  it('ends in order with SIGTERM, even if Ctrl-C follows', async () => {
    suite.kill('SIGTERM');
    await eventually(
      () => Promise.resolve(printed),
      (text) => text.includes('stopping'),
    );
    process.kill(-(suite.pid ?? 0), 'SIGINT');
    await expectNothingLeft();
  });

  async function startSuite(): Promise<void> {
    const mark = path.join(directory, '.local/everything-runs');
    await rm(mark, { force: true });
    [printed, pids, data] = ['', [], []];
    const command = [...FROM_SOURCES, 'tools/run/suite/test.ts', 'test/e2e/never-ends.ts'];
    suite = spawn(process.execPath, command, {
      cwd: directory,
      env: inheritedEnv(),
      detached: true, // the leader of a process group, as a command in a terminal
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [suite.stdout, suite.stderr])
      stream?.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    const isThere = () => Promise.resolve(existsSync(mark) || suite.exitCode !== null);
    await eventually(isThere, (isDone) => isDone, START_MS);
    expect(suite.exitCode, printed).to.equal(null);
    pids = await descendantsOf([suite.pid ?? 0]);
    data = await Promise.all(DATA.map((folder) => realpath(path.join(directory, folder))));
    // Itself, mocha with a worker, a supervisor, four shared engines, four others and a service.
    expect(pids).to.have.length.of.at.least(13);
  }

  async function expectNothingLeft(): Promise<void> {
    if (suite.exitCode === null) await once(suite, 'exit');
    const alive = await Promise.all(pids.map(isAlive));

    expect(pids.filter((_pid, index) => alive[index])).to.deep.equal([]);
    expect(data.filter((folder) => existsSync(folder))).to.deep.equal([]);
    expect(printed).to.match(/^stopped, engines included$/m);
    expect(suite.exitCode).to.equal(130);
  }
});
