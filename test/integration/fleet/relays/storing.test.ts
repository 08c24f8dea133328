import { expect } from 'chai';
import { runStatement } from '#core/clickhouse';
import { type ArrivedReport, readFleet, rollUpRelays } from '#fleet/catalogue';
import { anArrivedReport as report, storeReports } from '../../../support/senders/relays.ts';
import { sharedWorld } from '../../../support/world.ts';

/** What an old relay leaves out. */
const BARE = { traffic: null, processMetrics: null, latencyUpstream: null, connectedStreamingClients: null };

const MINUTE_MS = 60_000;
/** Noon of a day that has ended. */
const NOON = Date.parse(new Date(Date.now() - 2 * 86_400_000).toISOString().slice(0, 10)) + 12 * 3_600_000;

describe('stored reports of relays', () => {
  const world = sharedWorld();
  afterEach(async () => {
    for (const table of ['relay_reports', 'relays_daily'])
      await runStatement(world.clickhouse, `truncate table ${table}`);
    await world.db.query('truncate relays cascade');
  });

  it('turn sums since the start into differences, and cover the time since the report before', async () => {
    const started = new Date(NOON - MINUTE_MS).toISOString();
    const sums = (refused: number, cpuUsage: number) => ({
      started,
      processMetrics: { cpuUsage, memoryUsage: 1000 },
      traffic: { accessDenied: { a: { count: refused } } },
    });
    await store(report('a', NOON, sums(5, 2)), report('a', NOON + 2 * MINUTE_MS, sums(9, 3)));
    const rows = await world.query(
      `select minute, seconds, requests, refused, cpu_seconds
       from relays_by_minute
       order by minute`,
    );
    expect(rows).to.deep.equal([
      { minute: clickHouseTime(NOON), seconds: 60, requests: '130', refused: '5', cpu_seconds: 2 },
      {
        minute: clickHouseTime(NOON + 2 * MINUTE_MS),
        seconds: 120,
        requests: '130',
        refused: '4',
        cpu_seconds: 1,
      },
    ]);
  });

  it('do not count what a relay did before its first report here', async () => {
    await store(report('a', NOON, { started: new Date(NOON - 3_600_000).toISOString() }));
    expect(await world.query('select refused, cpu_seconds from relays_by_minute')).to.deep.equal([
      { refused: '0', cpu_seconds: 0 },
    ]);
  });

  it('count once if they are stored again, whether the state was written before or not', async () => {
    const reports = [report('a', NOON), report('a', NOON + MINUTE_MS)];
    await store(...reports);
    await store(...reports);
    await world.db.query('delete from relays');
    await store(...reports);
    const [hour] = await world.query('select hour, requests, reports, refused from relays_by_hour');
    expect(hour).to.include({ hour: clickHouseTime(NOON), requests: '260', reports: '2' });
    await rollUpRelays(world.shards.of(0));
    await rollUpRelays(world.shards.of(0));
    const days = await world.query(
      'select toString(day) as day, requests, reports, requests_per_second, is_complete from relays_by_day',
    );
    expect(days).to.deep.equal([
      {
        day: new Date(NOON).toISOString().slice(0, 10),
        requests: '260',
        reports: '2',
        requests_per_second: 260 / 120,
        is_complete: true,
      },
    ]);
  });

  it('add to a day whose sums are stored already', async () => {
    await store(report('a', NOON));
    await rollUpRelays(world.shards.of(0));
    await store(report('a', NOON + MINUTE_MS, { edgeVersion: '21.0.0' }));
    await rollUpRelays(world.shards.of(0));
    expect(await world.query('select requests, reports, version from relays_by_day')).to.deep.equal([
      { requests: '260', reports: '2', version: '21.0.0' },
    ]);
  });

  it('show each relay once, as its newest report describes it', async () => {
    await store(
      report('a', NOON - 24 * 60 * MINUTE_MS, { edgeVersion: '19.0.0' }),
      report('a', NOON, { connectedEdges: [{ identifier: 'b', appName: 'edge' }] }),
    );
    await rollUpRelays(world.shards.of(0));
    const relays = await world.query(
      'select relay_id, parent_id, version, nested_relays, last_report_at, revisions from relays order by relay_id',
    );
    expect(relays).to.deep.equal([
      {
        relay_id: 'a',
        parent_id: '',
        version: '20.4.1',
        nested_relays: 1,
        last_report_at: `${clickHouseTime(NOON)}.000`,
        revisions: { 'production: *': '412' },
      },
      {
        relay_id: 'b',
        parent_id: 'a',
        version: '',
        nested_relays: 0,
        last_report_at: `${clickHouseTime(NOON)}.000`,
        revisions: {},
      },
    ]);
  });

  it('have unknown numbers where a relay does not send them', async () => {
    await store(report('a', NOON, BARE));
    await rollUpRelays(world.shards.of(0));
    for (const view of ['relays_by_minute', 'relays_by_hour', 'relays_by_day'])
      expect(
        await world.query(
          `select refused, memory_bytes, streaming_clients, features_latency_ms from ${view}`,
        ),
      ).to.deep.equal([
        { refused: null, memory_bytes: null, streaming_clients: null, features_latency_ms: null },
      ]);
  });

  it('forget the relays that reported longest ago, if a token has too many', async () => {
    const nested = (first: number) =>
      Array.from({ length: 100 }, (_, index) => ({ identifier: `n${first + index}`, appName: 'edge' }));
    const reports = Array.from({ length: 21 }, (_, index) =>
      report(`r${index}`, NOON, { connectedEdges: nested(index * 100) }),
    );
    await store(...reports);
    await store({ ...report('of-another-token', NOON), tokenId: 'other' });
    const { rows } = await world.db.query('select token_id, count(*)::int from relays group by 1 order by 1');
    expect(rows).to.deep.equal([
      { token_id: 'other', count: 1 },
      { token_id: 'token', count: 2000 },
    ]);
  });

  describe('show that a relay', () => {
    let now: number;
    beforeEach(() => {
      now = Date.now();
    });
    const ago = (minutes: number): number => now - minutes * MINUTE_MS;

    it('is reporting up to five minutes after its last report, and silent afterwards', async () => {
      await store(report('late', ago(4)), report('silent', ago(6)));
      expect(await states()).to.deep.equal({ late: 'reporting', silent: 'silent' });
    });

    it('is reporting for longer if its reports come seldom, as after a 404 of Unleash', async () => {
      await store(report('seldom', ago(31)), report('seldom', ago(20)), report('seldom', ago(9)));
      expect(await states()).to.deep.equal({ seldom: 'reporting' });
    });

    it('stopped in order if its last report came early, which is the farewell of Edge', async () => {
      await store(report('left', ago(10)), report('left', ago(10) + 20_000));
      expect(await states()).to.deep.equal({ left: 'stopped' });
    });

    it('was replaced if another one of its name and region started then', async () => {
      const started = new Date(ago(9)).toISOString();
      await store(
        report('old', ago(10)),
        report('elsewhere', ago(10), { region: 'us-east-1' }),
        report('new', ago(1), { started }),
      );
      expect(await states()).to.deep.equal({ elsewhere: 'silent', new: 'reporting', old: 'stopped' });
    });

    it('lacks revisions, compared with reporting relays that hold the same key', async () => {
      const holding = (revisionId: number, projects = ['*']) => ({
        edgeApiKeyRevisionIds: [{ environment: 'production', projects, revisionId }],
      });
      await store(
        report('newest', ago(1), holding(20)),
        report('behind', ago(1), holding(17)),
        report('other-projects', ago(1), holding(3, ['shop'])),
        report('restored', ago(90), holding(99)),
      );
      const { rows } = await world.db.query(
        'select relay_id, revision::int, newest_revision::int as newest from relay_revisions order by relay_id',
      );
      expect(rows).to.deep.equal([
        { relay_id: 'behind', revision: 17, newest: 20 },
        { relay_id: 'newest', revision: 20, newest: 20 },
        { relay_id: 'other-projects', revision: 3, newest: 3 },
        { relay_id: 'restored', revision: 99, newest: 99 },
      ]);
      const fleet = await readFleet(world.db);
      expect([...fleet.lags]).to.deep.equal([['production', 3]]);
      expect(Object.fromEntries(fleet.states)).to.deep.equal({ reporting: 3, silent: 1 });
    });

    async function states() {
      const { rows } = await world.db.query<{ relay_id: string; state: string }>(
        'select relay_id, state from relay_states order by relay_id',
      );
      return Object.fromEntries(rows.map(({ relay_id, state }) => [relay_id, state]));
    }
  });

  const store = (...reports: ArrivedReport[]): Promise<void> => storeReports(world, ...reports);
});

function clickHouseTime(ms: number): string {
  return new Date(ms).toISOString().slice(0, 19).replace('T', ' ');
}
