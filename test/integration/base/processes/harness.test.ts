import { expect } from 'chai';
import { execFile } from 'node:child_process';
import { itNightly } from '../../../support/nightly.ts';

/** Runs the tests of test/fixtures/harness with the hooks of this suite. */
describe('the suite', () => {
  for (const [test, mode] of [
    [it, ['--parallel', '--jobs', '1']],
    [itNightly, []],
  ] as const) {
    test(`fails tests if something goes wrong outside them ${mode.join(' ')}`, async () => {
      const { code, failures } = await runFixtures(mode, ['surprises']);

      expect(failures.map(({ title }) => title)).to.deep.equal([
        'fails: a rejection that nobody handles',
        'fails: a process that ends by itself',
        'fails: a process that drops a promise',
        'fails: a process of other tests that ends by itself',
      ]);
      const [rejected, ended, dropping, lasting] = failures.map(({ err }) => err.message);
      expect(rejected).to.include('unhandled rejection: Error: dropped');
      expect(ended).to.match(/^ingest \d+ ended by itself \(SIGKILL\)$/);
      expect(dropping).to.match(/^ingest \d+ ended by itself \(exit code 1\)\n.*"dropped".*"service failed"/);
      expect(lasting).to.match(/^ingest \d+ ended by itself \(SIGKILL\)$/);
      expect(code).to.equal(4);
    });
  }

  itNightly(
    'disposes of the worlds of a file before the next file starts, and ends with an error if a test leaves a timer',
    async () => {
      const { code, passes, stderr } = await runFixtures([], ['leaving', 'looking', 'lasting']);

      expect(passes.map(({ title }) => title)).to.deep.equal([
        'leaves a world',
        'finds no world of the other file',
        'leaves a timer',
      ]);
      expect(stderr).to.match(/^The tests are over, but the process does not end: .*Timeout/m);
      expect(code).to.equal(1);
    },
  );
});

type Test = { readonly title: string; readonly err: { readonly message: string } };
type Report = {
  readonly code: unknown;
  readonly passes: readonly Test[];
  readonly failures: readonly Test[];
  readonly stderr: string;
};

function runFixtures(mode: readonly string[], names: readonly string[]): Promise<Report> {
  const files = names.map((name) => `test/fixtures/harness/${name}.ts`);
  const env = { ...process.env, MOCHA_WORKER_ID: undefined }; // These are not tests of our own mocha.
  return new Promise((resolve) => {
    execFile(
      'node_modules/.bin/mocha',
      ['--reporter', 'json', ...mode, ...files],
      { env },
      (error, stdout, stderr) => {
        const report = JSON.parse(stdout.slice(stdout.indexOf('{'))) as Omit<Report, 'code' | 'stderr'>;
        resolve({ ...report, code: error?.code ?? 0, stderr });
      },
    );
  });
}
