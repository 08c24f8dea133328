import { expect } from 'chai';
import { eventually } from '../../../../support/eventually.ts';
import { openApi } from '../../../../support/admin-api/admin.ts';
import { post } from '../../../../support/requests/post.ts';
import { sharedCounting } from '../../../../support/stories/counting.ts';
import { sharedWorld } from '../../../../support/world.ts';

const PATH = '/api/client/metrics';
const MINUTE_MS = 60_000;

describe('the coverage of SDKs that post directly', () => {
  const world = sharedWorld();
  const ingest = sharedCounting(world);
  /** A whole second some minutes ago, so that the buckets are in the past. */
  const begin = Math.floor(Date.now() / 1000) * 1000 - 20 * MINUTE_MS;

  type Bucket = {
    readonly app?: string;
    readonly instance: string;
    readonly from: number;
    readonly to: number;
  };

  /** Posts the bucket of an instance, from and to minutes after the beginning. */
  async function send({ app = 'covered', instance, from, to }: Bucket, path = PATH): Promise<void> {
    const [start, stop] = [from, to].map((minute) => new Date(begin + minute * MINUTE_MS).toISOString());
    const toggles = from % 2 === 0 ? { basket: { yes: 1, no: 0 } } : {};
    const body = { appName: app, instanceId: instance, bucket: { start, stop, toggles } };
    const { status } = await post(ingest, { path, body: JSON.stringify(body) });
    expect(status).to.equal(202);
  }

  it('counts the time between the posts of an instance that no post covers, and no other', async () => {
    // Without a gap, in two threads of one process, and with an empty bucket.
    for (const [from, to] of [
      [0, 1],
      [1, 2],
      [1.5, 3],
      [3, 4],
    ] as const)
      await send({ instance: 'steady', from, to });
    // A minute is missing; a post is repeated; what was kept after a failure covers its time, whatever comes first.
    for (const [from, to] of [
      [0, 1],
      [2, 3],
      [2, 3],
      [6, 7],
      [3, 6],
    ] as const)
      await send({ instance: 'lossy', from, to });
    const [row] = await eventually(
      () =>
        world.query<{ instances: number; covered: number; missing: number; coverage: number }>(
          `select toUInt32(c.instances) as instances, covered_seconds as covered, missing_seconds as missing, coverage
           from coverage_by_app as c
           where app_name = 'covered'`,
        ),
      ([found]) => found !== undefined && found.covered >= 600,
    );
    expect(row).to.deep.equal({ instances: 2, covered: 600, missing: 60, coverage: 600 / 660 });
  });

  it('stores what comes beside the strangest times', async () => {
    const now = new Date().toISOString();
    for (const start of [
      '1970-01-01T00:00:00.005Z',
      '1970-01-01T00:00:05Z',
      '1999-12-31T23:59:59Z',
      '0001-01-01T00:00:00Z',
      5,
      1e12,
      -1,
    ]) {
      const bucket = { start, stop: now, toggles: { odd: { yes: 1, no: 0 } } };
      const body = JSON.stringify({ appName: 'odd', instanceId: `of ${start}`, bucket });
      await post(ingest, { path: PATH, body });
    }
    await world.settled();
  });

  it('is in the admin API, the applications with most time without counts first', async () => {
    const admin = await world.fork('admin');
    const api = await openApi(admin.url);
    const read = async (query = '') => {
      const { status, body } = await api.get(`/api/admin/metrics/coverage${query}`);
      expect(status).to.equal(200);
      return body as { total: number; coverage: unknown[] };
    };
    const covered = {
      appName: 'covered',
      environment: 'production',
      instances: 2,
      coveredSeconds: 600,
      missingSeconds: 60,
    };
    const { total, coverage } = await read();
    expect(coverage[0]).to.deep.equal(covered);
    expect(coverage).to.have.length(total);
    expect(await read('?appName=covered')).to.deep.equal({ total: 1, coverage: [covered] });
    expect(await read('?appName=nobody')).to.deep.equal({ total: 0, coverage: [] });
  });
});
