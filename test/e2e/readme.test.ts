import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { cleanStack, freePort } from '../../tools/stack/index.ts';
import { codeBlocksOf } from '../support/documents/documents.ts';
import { eventually } from '../support/eventually.ts';
import { copyCheckout } from './checkout.ts';
import { describeNightly } from '../support/nightly.ts';

/** On two cores that many tests share, engines and services take minutes to start. A failure ends the program, which is noticed at once. */
const START_MS = 500_000;

/** Every shell block of the README and of docs/operate/commands.md, as a new user pastes it. Only the port differs. */
describeNightly('the shell blocks of the README', function () {
  this.timeout(600_000);
  const [trial = '', demo = '', start = '', send = '', read = '', reconcile = '', program = '', ...others] = [
    ...shellBlocks('README.md'),
    ...shellBlocks('docs/operate/commands.md'),
  ];
  let directory: string;
  let port: string;
  let service: ChildProcess | undefined;
  let printed = '';

  before(async () => {
    directory = await copyCheckout();
    port = String(await freePort());
  });
  after(async () => {
    if (service?.exitCode === null && service.signalCode === null) interrupt();
    for (const stack of ['.local', '.local/demo']) await cleanStack(path.join(directory, stack));
    await rm(directory, { recursive: true, force: true });
  });

  it('are all tested here, but the first one by test/e2e/package.test.ts', () => {
    expect(trial).to.match(/^npx flagmeter try /);
    expect(others).to.deep.equal([]);
  });

  it('prove the counting in a demo that ends with the next steps', async () => {
    const shown = await paste(demo);
    expect(shown).to.match(/^Every number agrees: /m);
    expect(shown).to.match(/The demo has ended, and its engines are stopped\. [^]*make start/);
  });

  it('start flagmeter for real clients', async () => {
    const child = spawn('bash', ['--norc', '-c', inCopy(start)], { ...options(), detached: true });
    service = child;
    for (const stream of [child.stdout, child.stderr]) {
      stream.on('data', (chunk: Buffer) => (printed += chunk.toString()));
    }
    await eventually(
      () => Promise.resolve({ printed, code: child.exitCode }),
      (now) => now.printed.includes('flagmeter is ready') || now.code !== null,
      START_MS,
    );
    expect(printed).to.include(`flagmeter is ready at http://127.0.0.1:${port} `);
    expect(printed).to.not.include('short secret');
  });

  it('send a batch', async () => {
    expect(await paste(send)).to.match(/^HTTP\/1\.1 202 Accepted/);
  });

  it('show its counts', async () => {
    const shown = await eventually(
      () => paste(read),
      (table) => table.includes('new-basket'),
    );
    expect(shown).to.match(/│ production\s*│ new-basket\s*│ shop\s*│\s*812 │\s*41 │/);
  });

  it('prove that nothing was lost or counted twice', async () => {
    expect(await paste(reconcile)).to.match(/^The accounting agrees: /m);
  });

  it('leave a refused sample without an error of make', async () => {
    const { stderr } = await promisify(execFile)('make', ['sample'], options());
    expect(stderr).to.include('flagmeter already holds 0 features and 1 application.').and.not.include('***');
  });

  it('run the program of the checkout', async () => {
    // It shows the current hour, which may have begun after the batch was sent.
    await paste(send);
    await eventually(
      () => paste(program),
      (shown) => shown.includes('new-basket'),
    );
  });

  it('end with Ctrl-C, engines included', async () => {
    const ended = service && once(service, 'close');
    interrupt();
    await ended;
    expect(printed).to.match(/^stopped, engines included$/m);
  });

  /** Runs lines in a new shell. Returns their output. */
  async function paste(block: string): Promise<string> {
    return (await promisify(execFile)('bash', ['--norc', '-c', inCopy(block)], options())).stdout;
  }

  function options() {
    const { PATH, HOME } = process.env;
    return { cwd: directory, env: { PATH, HOME, PORT: port } };
  }

  function inCopy(block: string): string {
    return block.replaceAll('4242', port);
  }

  /** Like a terminal: signals every process in its foreground. */
  function interrupt(): void {
    if (service?.pid !== undefined) process.kill(-service.pid, 'SIGINT');
  }
});

function shellBlocks(file: string): string[] {
  const document = { file, text: readFileSync(file, 'utf8') };
  return codeBlocksOf(document).flatMap(({ language, code }) => (language === 'sh' ? code : []));
}
