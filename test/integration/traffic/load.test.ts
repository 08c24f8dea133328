import { expect } from 'chai';
import { type LoadOptions, type LoadResult, runLoad } from '#tooling/traffic';
import { FlagmeterError } from '#base/runtime';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { sharedCounting } from '../../support/stories/counting.ts';
import { CLIENT_TOKEN, sharedWorld } from '../../support/world.ts';

const OPTIONS = {
  token: CLIENT_TOKEN,
  rowsPerBody: 50,
  features: 200,
  apps: 5,
  environments: ['production'],
  skew: 1,
  seed: 1,
  connections: 4,
  seconds: 1,
  timeoutMs: 20_000,
} as const;

type Sums = LoadResult['acknowledged'];

describe('a load, with ingest and a worker', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  const acknowledged: Sums = { rows: 0, yes: 0, no: 0, variants: 0 };

  async function load(options: Partial<LoadOptions>): Promise<LoadResult> {
    const url = `${ingest.url}/edge/metrics`;
    const result = await runLoad({ ...OPTIONS, url, rate: 'maximum', ...options });
    for (const key of ['rows', 'yes', 'no', 'variants'] as const)
      acknowledged[key] += result.acknowledged[key];
    return result;
  }

  async function readStored(): Promise<Sums> {
    const [stored] = await world.query<Sums>(
      `select
         toUInt32(sum(u.reports)) as rows,
         toUInt32(sum(u.yes)) as yes,
         toUInt32(sum(u.no)) as no,
         toUInt32((select sum(v.count) from variants_by_hour as v)) as variants
       from usage_by_hour as u`,
    );
    return stored ?? { rows: 0, yes: 0, no: 0, variants: 0 };
  }

  it('is stored exactly as acknowledged, even if the same seed is used again at once', async () => {
    const results = [await load({}), await load({ rate: 20 })];
    for (const { requests } of results) {
      expect(requests.acknowledged).to.equal(requests.sent);
      expect(requests.acknowledged).to.be.greaterThan(0);
    }
    const { total } = await world.settled();
    expect([total.duplicate, total.refused]).to.deep.equal([0, 0]);
    expect(await readStored()).to.deep.equal(acknowledged);
  });

  it('reads its token from the environment, where other users of the machine do not see it', async () => {
    const short = ['--url', ingest.url, '--seconds', '0.2', '--rows', '1', '--connections', '1', '--json'];
    const rejected = await callCli(world, 'load', ...short).catch((error: unknown) => error);
    expect(rejected).to.be.instanceOf(FlagmeterError).with.property('code', 'usage');

    const env = { ...world.env, FLAGMETER_TOKEN: CLIENT_TOKEN };
    const { output, exitCode } = await callCli({ ...world, env }, 'load', ...short);
    expect(exitCode).to.equal(0);
    expect((JSON.parse(output) as LoadResult).statuses).to.have.all.keys('202');
  });

  it('shows how the server rejects its token', async () => {
    const result = await load({ token: '*:production.unknown', rate: 10 });
    expect(result.statuses).to.have.all.keys('401');
    expect(result.acknowledged.rows).to.equal(0);
  });
});
