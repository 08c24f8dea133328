import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { COMMANDS } from '../../../../services/cli/catalogue.ts';
import { CLI_COMMAND } from '../../../support/stack/processes/cli.ts';

/** They compile and start the sources. */
const OF_TESTS = new Set(['tsx', 'esbuild', 'get-tsconfig', 'resolve-pkg-maps']);
/** What an older Node says about itself. */
const OLD_NODE =
  "data:text/javascript,Object.defineProperty(process,'versions',{value:{...process.versions,node:'20.20.2'}})";
const CLIENTS = ['kafkajs', '@clickhouse', 'pg', 'ioredis', 'koa'];

describe('the start of flagmeter', () => {
  for (const args of [['--version'], ['--help'], ['nonsense']])
    it(`imports commander and no other library for "${args.join(' ')}"`, () => {
      expect(librariesFor(args)).to.deep.equal(['commander']);
    });

  it('imports no client of an engine for a command that needs none', () => {
    const libraries = librariesFor(['settings']);
    expect(libraries).to.include('commander');
    expect(CLIENTS.filter((client) => libraries.includes(client))).to.deep.equal([]);
  });

  it('imports the clients for a command that needs them', () => {
    expect(librariesFor(['doctor', '--help'])).to.include.members(CLIENTS.slice(0, 3));
  });

  it('ends with one sentence on a Node that is too old', () => {
    const { status, stdout, stderr } = run(['--version'], { NODE_OPTIONS: `--import "${OLD_NODE}"` });
    expect({ status, stdout }).to.deep.equal({ status: 1, stdout: '' });
    expect(stderr).to.match(/^flagmeter needs Node .* this is 20\.20\.2\. .*\n$/);
  });

  it('shows all commands with their descriptions, although it imports none', () => {
    const { stdout } = run(['--help'], {});
    const text = stdout.replaceAll(/\s+/g, ' ');
    for (const [name, { description }] of Object.entries(COMMANDS))
      expect(text).to.include(`${name} `).and.include(description);
  });
});

/** The packages of npm that the process imports: V8 writes its coverage of each script that it has run. */
function librariesFor(args: readonly string[]): string[] {
  const directory = mkdtempSync(path.join(tmpdir(), 'flagmeter-imports-'));
  try {
    run(args, { NODE_V8_COVERAGE: directory });
    const scripts = readdirSync(directory).flatMap((file) => scriptsOf(path.join(directory, file)));
    const names = scripts.flatMap((url) => /.*\/node_modules\/([^/]+)/.exec(url)?.[1] ?? []);
    return [...new Set(names)].filter((name) => !OF_TESTS.has(name));
  } finally {
    rmSync(directory, { recursive: true });
  }
}

function scriptsOf(file: string): string[] {
  const { result } = JSON.parse(readFileSync(file, 'utf8')) as { result: { url: string }[] }; // written by V8
  return result.map(({ url }) => url);
}

function run(args: readonly string[], env: Record<string, string>) {
  const { PATH } = process.env;
  return spawnSync(process.execPath, [...CLI_COMMAND, ...args], { env: { PATH, ...env }, encoding: 'utf8' });
}
