import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { descendantsOf } from '../../tools/stack/index.ts';
import { startOtlpReceiver } from '../integration/base/tracing/otlp-receiver.ts';
import { connectByHttp } from '../support/admin-api/agents.ts';
import { eventually } from '../support/eventually.ts';
import { describeNightly } from '../support/nightly.ts';
import { cliEnv } from '../support/stack/processes/cli.ts';
import { launchCommand } from '../support/stack/processes/flagmeter-start.ts';
import { aFreshMetric, bodyOf, post } from '../support/requests/post.ts';
import { createDatabase } from '../support/stack/engines/world-databases.ts';
import { type World, createWorld } from '../support/world.ts';
import { codeBlocksOf } from '../support/documents/documents.ts';
import { STOPPED, type Trial, launchTrial, livingOf } from '../support/stack/processes/trial.ts';
import { copyCheckout } from './checkout.ts';

const MAX_INSTALLED_BYTES = 50_000_000;
const NPM_DEADLINE_MS = 250_000;

/** The first line of the README that a reader pastes, without its comment. */
const [COMMAND = ''] = codeBlocksOf({ file: 'README.md', text: readFileSync('README.md', 'utf8') }).map(
  ({ code }) => code.replace(/ *#.*\n/, ''),
);

/** The release workflow names the package that it is about to publish. */
const PACKED = process.env['FLAGMETER_PACKAGE'];

/** `npm install flagmeter` in an empty folder, with nothing but the registry. */
describeNightly('the npm package', function () {
  this.timeout(600_000);
  let world: World;
  let consumer: string;
  let checkout: string | undefined;

  before(async () => {
    world = await createWorld({}, { createPostgres: createDatabase, prepare: () => Promise.resolve() });
    consumer = await mkdtemp(path.join(tmpdir(), 'flagmeter-consumer-'));
    if (PACKED === undefined) checkout = await copyCheckout();
    const file = checkout === undefined ? path.resolve(PACKED ?? '') : await pack(checkout, consumer);
    await npm(consumer, 'install', '--prefix', consumer, '--no-fund', '--no-audit', file);
  });
  after(async () => {
    for (const directory of [consumer, checkout])
      if (directory !== undefined) await rm(directory, { recursive: true, force: true });
    await world.dispose();
  });

  it('brings the command flagmeter', async () => {
    const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
    expect(await flagmeter('--version')).to.equal(`${version}\n`);
  });

  it('runs no script when it is installed', () => {
    const lock = JSON.parse(readFileSync(path.join(consumer, 'package-lock.json'), 'utf8')) as Lock;
    const packages = Object.entries(lock.packages);
    expect(packages.filter(([, { hasInstallScript }]) => hasInstallScript === true)).to.deep.equal([]);
    expect(packages.map(([name]) => name)).to.include('node_modules/flagmeter');
  });

  it('takes less than 50 MB with all its dependencies', async () => {
    expect(await diskUsage(path.join(consumer, 'node_modules'))).to.be.below(MAX_INSTALLED_BYTES);
  });

  it('carries the licences of what it bundles', () => {
    const inPackage = (file: string): string =>
      readFileSync(path.join(consumer, 'node_modules/flagmeter', file), 'utf8');
    expect(inPackage('LICENSE')).to.include('Apache License');
    expect(inPackage('dist/api-viewer/LICENSE')).to.include('Apache License');
    expect(inPackage('dist/api-viewer/NOTICE')).to.include('swagger-ui');
    expect(inPackage('dist/packages/base/runtime/tracing/library.js.LICENSE.txt')).to.match(
      /^@opentelemetry\/sdk-trace [^]*Apache License/m,
    );
    expect(inPackage('dist/packages/tooling/mcp/library.js.LICENSE.txt')).to.match(
      /^@modelcontextprotocol\/server [^]*Apache License/m,
    );
  });

  it('prepares empty engines, and serves batches, console, API document, agents and traces', async () => {
    expect(await flagmeter('migrate')).to.include('are up to date');
    const receiver = await startOtlpReceiver();
    const tracing = { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url };
    const start = await launchCommand(world, [programIn(consumer)], tracing);
    try {
      expect((await post(start, { body: bodyOf({ metrics: [aFreshMetric()] }) })).status).to.equal(202);
      expect(await scriptsOf(`${start.url}/`)).to.have.lengthOf.at.least(1);
      expect(await scriptsOf(`${start.url}/docs/openapi/`)).to.have.lengthOf(2);
      expect(await scriptsOf(`${start.url}/help/`)).to.have.lengthOf(1);
      const agent = await connectByHttp(start);
      expect((await agent.call('find_features')).isError).to.equal(false);
      await agent.close();
      await eventually(
        () => Promise.resolve(receiver.requests.map(({ body }) => body.toString('latin1'))),
        (bodies) => bodies.some((body) => body.includes('POST /edge/metrics')),
      );
      await world.settled();
    } finally {
      expect(await start.stop()).to.equal(0);
      await receiver.close();
    }
  });

  describe('with the command of the README and nothing but Node and Python', () => {
    let home: string;
    let trial: Trial;

    before(async () => {
      home = await mkdtemp(path.join(tmpdir(), 'flagmeter-home-'));
    });
    after(async () => {
      await run('flagmeter try --remove');
      await rm(home, { recursive: true, force: true });
    });

    it('shows a made-up shop in the console, to whoever follows the link', async () => {
      trial = await launch();
      const { origin, hash } = new URL(trial.link);
      expect(await scriptsOf(`${origin}/`)).to.have.lengthOf.at.least(1);
      const authorization = decodeURIComponent(hash.replace('#token=', ''));
      const answer = await fetch(`${origin}/api/admin/search/features?search=checkout-one-page`, {
        headers: { authorization },
      });
      expect(answer.status).to.equal(200);
      expect(await answer.text()).to.include('checkout-one-page');
    });

    it('runs once for each user', async () => {
      expect(await run(COMMAND)).to.include('flagmeter try runs already');
    });

    it('stops all that it started at Ctrl-C', async () => {
      const pids = await trial.pids();
      expect(pids).to.have.lengthOf.at.least(8);
      expect(await trial.interrupt()).to.include(STOPPED);
      await eventually(
        () => livingOf(pids),
        (living) => living.length === 0,
      );
    });

    it('starts again on the same data, also after it was killed', async () => {
      const killed = await launch();
      const pids = await killed.pids();
      for (const pid of await descendantsOf(pids.slice(0, 1))) process.kill(pid, 'SIGKILL');
      const again = await launch();
      expect(await again.interrupt())
        .to.include(STOPPED)
        .and.not.include('filling it');
      expect(await livingOf(pids)).to.deep.equal([]);
    });

    it('leaves nothing after --remove, even if it runs', async () => {
      const running = await launch();
      const pids = await running.pids();
      await run('flagmeter try --remove');
      expect(await livingOf(pids)).to.deep.equal([]);
      expect(await readdir(path.join(home, 'data'))).to.deep.equal([]);
    });

    function launch(): Promise<Trial> {
      return launchTrial(COMMAND, path.join(home, 'data/flagmeter'), { cwd: consumer, env: envOf() });
    }

    /** What a command prints on both streams. */
    async function run(command: string): Promise<string> {
      const both = ['--norc', '-c', `exec 2>&1; ${command}; true`];
      return (await promisify(execFile)('bash', both, { cwd: consumer, env: envOf() })).stdout;
    }

    function envOf(): NodeJS.ProcessEnv {
      const bin = path.join(consumer, 'node_modules/.bin');
      return {
        // It may hold the certificate of a registry.
        ...process.env,
        PATH: `${bin}:${process.env['PATH']}`,
        PORT: '0',
        XDG_DATA_HOME: path.join(home, 'data'),
      };
    }
  });

  async function flagmeter(...args: readonly string[]): Promise<string> {
    return (await promisify(execFile)(programIn(consumer), args, { env: cliEnv(world) })).stdout;
  }
});

type Lock = { readonly packages: Readonly<Record<string, { readonly hasInstallScript?: boolean }>> };

function programIn(consumer: string): string {
  return path.join(consumer, 'node_modules/.bin/flagmeter');
}

/** Builds and packs a checkout. Returns the file. */
async function pack(checkout: string, folder: string): Promise<string> {
  const filename = await npm(checkout, 'pack', '--silent', '--pack-destination', folder);
  return path.join(folder, filename.trim());
}

/** With our environment, because it may hold the address and the certificate of a registry. */
async function npm(cwd: string, ...args: readonly string[]): Promise<string> {
  return (await promisify(execFile)('npm', args, { cwd, timeout: NPM_DEADLINE_MS })).stdout;
}

/** What `du` shows: the blocks of the files and folders. */
async function diskUsage(folder: string): Promise<number> {
  const names = await readdir(folder, { recursive: true });
  const stats = await Promise.all(names.map((name) => stat(path.join(folder, name))));
  return stats.reduce((sum, { blocks }) => sum + blocks * 512, 0);
}

/** The scripts of a page, which all load. */
async function scriptsOf(page: string): Promise<string[]> {
  const answer = await fetch(page);
  expect(answer.status).to.equal(200);
  const urls = [...(await answer.text()).matchAll(/<script[^>]* src="([^"]+)"/g)].map(
    ([, src = '']) => new URL(src, page).href,
  );
  for (const url of urls) {
    const script = await fetch(url);
    expect(script.status, url).to.equal(200);
    expect(script.headers.get('content-type')).to.include('text/javascript');
    expect((await script.text()).length, url).to.be.above(50);
  }
  return urls;
}
