import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { configSchema, readConfig } from '#base/runtime';
import { inheritedEnv } from '../../../tools/clock/inherited-env.ts';
import { stackEnv } from '../../support/stack/engines/stack-addresses.ts';
import { programOf } from '../../support/stack/processes/programs.ts';

/** Each value is wrong, and none may be printed: some are secrets. All are easy to find in the output. */
const WRONG = {
  KAFKA_BROKERS: 'wrong-brokers',
  CLICKHOUSE_URL: 'ftp://user:wrong-password@somewhere',
  DATABASE_URL: 'mysql://user:wrong-password@somewhere/db',
  REDIS_URL: 'wrong-redis',
  PORT: '65536',
  LOG_LEVEL: 'wrong-level',
  MAX_BODY_BYTES: 'wrong-size',
  MAX_VARIANTS: '-3',
  INIT_CLIENT_API_TOKENS: 'wrong-secret',
  INIT_ADMIN_API_TOKENS: 'default:production.wrong-secret',
} as const;

for (const service of ['ingest', 'admin', 'standalone'])
  describe(`${service} without REDIS_URL`, () => {
    it('exits with a message, because it would not hear of revoked tokens', async () => {
      const { code, stderr } = await run(service, { ...stackEnv(), REDIS_URL: '', PORT: '0' });
      expect({ code, stderr }).to.deep.equal({
        code: 1,
        stderr:
          'REDIS_URL is required for processes that flagmeter start does not run: they hear of revoked tokens from Redis\n',
      });
    });
  });

describe('ingest with a wrong configuration', () => {
  it('reports every problem in one message, prints no value and exits with 1', async () => {
    const { code, stdout, stderr } = await run('ingest', WRONG);
    expect(code).to.equal(1);
    for (const name of Object.keys(WRONG)) expect(stderr).to.include(name);
    expect(stderr).to.match(/^The configuration has 10 problems:\n( {2}\S.*\n){10}$/);
    expect(stdout + stderr).not.to.match(/wrong-|65536|-3|somewhere/);
  });

  it('names missing variables', () => {
    for (const name of configSchema.required) expect(problemsOf({})).to.include(name);
  });

  it('treats an empty variable as a missing one', () => {
    expect(problemsOf({ ...stackEnv(), DATABASE_URL: '' }))
      .to.include('DATABASE_URL')
      .and.not.to.include('KAFKA_BROKERS');
  });
});

/** What ingest would print. */
function problemsOf(env: Readonly<Record<string, string>>): string {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return String(error);
  }
}

type Ending = { readonly code: number; readonly stdout: string; readonly stderr: string };

async function run(service: string, env: Readonly<Record<string, string>>): Promise<Ending> {
  const { file, options } = programOf(service);
  try {
    const { stdout, stderr } = await promisify(execFile)(process.execPath, [...options, file], {
      env: { ...inheritedEnv(), ...env },
      timeout: 30_000,
    });
    return { code: 0, stdout, stderr };
  } catch (error) {
    return error as Ending; // as execFile reports an exit code other than 0
  }
}
