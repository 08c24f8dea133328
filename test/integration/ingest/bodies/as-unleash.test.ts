import { expect } from 'chai';
import { countMessages, untilCounted } from '../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Post, post } from '../../../support/requests/post.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { FRONTEND_TOKEN, sharedWorld } from '../../../support/world.ts';

const BULK = '/api/client/metrics/bulk';
const NOW = Date.now();
const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
const METRIC = { appName: 'shop', environment: 'production' };

describe('bodies that Unleash takes', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);

  async function send(path: string, body: unknown, request: Partial<Post> = {}): Promise<number> {
    const sent = typeof body === 'string' ? body : JSON.stringify(body);
    return (await post(ingest, { path, body: sent, ...request })).status;
  }

  function batchOf(...metrics: readonly object[]): unknown {
    return { applications: [], metrics: metrics.map((metric) => ({ ...METRIC, ...metric })) };
  }

  /** The stored counts of features whose names begin so. */
  async function rowsOf(prefix: string): Promise<unknown[]> {
    await untilCounted(world);
    return world.query(
      `select feature_name, toUnixTimestamp(hour) * 1000 as at, toUInt32(yes) as yes, toUInt32(no) as no
       from usage_by_hour
       where startsWith(feature_name, {prefix:String})
       order by feature_name`,
      { prefix },
    );
  }

  const hourOf = (ms: number): string => String(ms - (ms % 3_600_000));

  it('are counted with times in epoch milliseconds, and counts and names of other types', async () => {
    const good = { featureName: 'bulk-a', timestamp: new Date(NOW).toISOString(), yes: 1, no: 1 };
    const epoch = { featureName: 'bulk-b', timestamp: NOW - DAY_MS, yes: '3', no: null };
    expect(await send(BULK, batchOf(good, epoch, { ...good, featureName: 7 }))).to.equal(202);
    expect(await rowsOf('bulk-')).to.deep.equal([
      { feature_name: 'bulk-a', at: hourOf(NOW), yes: 1, no: 1 },
      { feature_name: 'bulk-b', at: hourOf(NOW - DAY_MS), yes: 3, no: 0 },
    ]);
    expect(await rowsOf('7')).to.have.length(1);
  });

  it('lose only the row that cannot be counted, which is refused with its reason', async () => {
    const { total: before } = await world.settled();
    const good = { featureName: 'kept', yes: 2 };
    const bad = [
      { appName: null },
      { featureName: null },
      { timestamp: 1_795_168_800 },
      { timestamp: 1e300 },
    ];
    expect(await send(BULK, batchOf(good, ...bad.map((one) => ({ ...good, ...one }))))).to.equal(202);
    expect(await rowsOf('kept')).to.have.length(1);
    const { total } = await world.settled();
    expect([total.received - before.received, total.refused - before.refused]).to.deep.equal([5, 4]);
    expect(
      await world.query(
        'select reason, toUInt32(sum(r.count)) as n from refusals as r group by 1 order by 1',
      ),
    ).to.deep.equal([
      { reason: 'empty_name', n: 2 },
      { reason: 'in_the_future', n: 1 },
      { reason: 'too_old', n: 1 },
    ]);
  });

  it('are counted in the hour that they name, up to 14 hours ahead', async () => {
    const minutes = [90, 240, 800];
    const rows = minutes.map((ahead) => ({
      featureName: `ahead-${ahead}`,
      timestamp: new Date(NOW + ahead * MINUTE_MS).toISOString(),
      yes: 1,
    }));
    expect(await send(BULK, batchOf(...rows))).to.equal(202);
    const stop = NOW + 240 * MINUTE_MS;
    const bucket = { start: stop, stop, toggles: { 'ahead-sdk': { yes: 1 } } };
    expect(await send('/api/client/metrics', { appName: 'shop', bucket })).to.equal(202);
    const stored = (await rowsOf('ahead-')) as { feature_name: string; at: string }[];
    const found = Object.fromEntries(stored.map(({ feature_name, at }) => [feature_name, at]));
    expect(found).to.deep.equal({
      ...Object.fromEntries(minutes.map((ahead) => [`ahead-${ahead}`, hourOf(NOW + ahead * MINUTE_MS)])),
      'ahead-sdk': hourOf(stop),
    });
  });

  it('register an SDK whose interval and start have other types, at each path', async () => {
    const registration = { appName: 'typed', interval: '2000', started: NOW, strategies: ['default', null] };
    const instance = (instanceId: string) => ({ ...registration, instanceId, environment: 'production' });
    expect(await send('/api/client/register', instance('direct'))).to.equal(202);
    expect(await send(BULK, { applications: [instance('relayed')], metrics: [] })).to.equal(202);
    const ofBrowser = { authorization: FRONTEND_TOKEN };
    expect(await send('/api/frontend/client/register', instance('browser'), ofBrowser)).to.equal(202);
    const { rows } = await eventually(
      () =>
        world.db.query(
          `select instance_id, strategies from client_instances join client_applications using (app_name)
           where app_name = 'typed' order by instance_id`,
        ),
      (found) => found.rowCount === 3,
    );
    expect(rows).to.deep.equal(
      ['browser', 'direct', 'relayed'].map((instance_id) => ({ instance_id, strategies: ['default'] })),
    );
  });

  it('may begin with a byte order mark and hold bytes that are not UTF-8, which are replaced', async () => {
    const bytes = (text: string) => new Uint8Array(Buffer.from(text, 'latin1'));
    const body = JSON.stringify(batchOf({ featureName: 'größe', yes: 1 }));
    expect(await send(BULK, '', { body: bytes(body) })).to.equal(202);
    expect(await send(BULK, `\uFEFF${JSON.stringify(batchOf({ featureName: 'grün', yes: 1 }))}`)).to.equal(
      202,
    );
    const rows = (await rowsOf('gr')) as { feature_name: string }[];
    expect(rows.map(({ feature_name }) => feature_name)).to.deep.equal(['grün', 'gr\uFFFD\uFFFDe']);
  });

  it('get 400 at /edge/metrics, which has its own contract', async () => {
    const before = await countMessages(world);
    for (const member of [{ timestamp: NOW }, { yes: '3' }, { featureName: 7 }])
      expect(await send('/edge/metrics', batchOf({ featureName: 'f', ...member }))).to.equal(400);
    for (const member of [{ interval: '2000' }, { started: NOW }, { strategies: [null] }])
      expect(
        await send('/edge/metrics', { applications: [{ appName: 'a', ...member }], metrics: [] }),
      ).to.equal(400);
    expect(await send('/edge/metrics', `\uFEFF${JSON.stringify(batchOf())}`)).to.equal(400);
    expect(await countMessages(world)).to.equal(before);
  });
});
