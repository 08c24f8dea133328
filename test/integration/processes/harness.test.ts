import { expect } from 'chai';
import { execFile } from 'node:child_process';

/** Runs the tests of test/fixtures/harness with the hooks of this suite. */
describe('the suite', () => {
  for (const mode of [[], ['--parallel', '--jobs', '1']]) {
    it(`fails tests if something goes wrong outside them ${mode.join(' ')}`, async () => {
      const { code, failures } = await runFixture(mode);

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
});

type Failure = { readonly title: string; readonly err: { readonly message: string } };

function runFixture(mode: readonly string[]): Promise<{ code: unknown; failures: readonly Failure[] }> {
  const args = ['--reporter', 'json', ...mode, 'test/fixtures/harness/surprises.ts'];
  return new Promise((resolve) => {
    execFile('node_modules/.bin/mocha', args, (error, stdout) => {
      const { failures } = JSON.parse(stdout.slice(stdout.indexOf('{'))) as { failures: Failure[] };
      resolve({ code: error?.code ?? 0, failures });
    });
  });
}
