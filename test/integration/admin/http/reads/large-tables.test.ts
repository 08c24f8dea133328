import { expect } from 'chai';
import type { Pages } from '#base/postgres';
import { ANYBODY } from '#base/tokens';
import { createEvents } from '../../../../../services/admin/record/events/store.ts';
import { foldEventCounts } from '../../../../../services/admin/record/events/store/counts.ts';
import { listFeaturesOf } from '../../../../../services/admin/flags/features/read.ts';
import { listFeedback } from '../../../../../services/admin/flags/feedback/operations.ts';
import { encodeCursor } from '../../../../../services/admin/http/requests/cursor.ts';
import { createSearch } from '../../../../../services/admin/doors/search/store.ts';
import { openAdminPools } from '../../../../../services/admin/pools.ts';
import { type AdminWorld, createAdminWorld } from '../../../../support/admin-api/admin.ts';
import { planOf, rowsReadBy, statementsOf } from './statement-plans.ts';

const EVENTS = 40_000;
const RARE_EVENTS = 1250;
const FEATURES = 8000;
const FEEDBACK = 8000;
/** Less than half of the rows of each table: a page of 1,000, plus the rows for a filter or a look-up per row. */
const MAX_ROWS = 3000;
const AFTER_F5 = encodeCursor('name', ['f5']);

describe('lists of the admin API on large tables', () => {
  let world: AdminWorld;
  let pools: ReturnType<typeof openAdminPools>;

  before(async function () {
    this.timeout(300_000);
    world = await createAdminWorld();
    pools = openAdminPools(world.config, world.log);
    // Rows of one project or feature lie far apart, and thousands have the same timestamp.
    await world.db.query(`
      insert into events (type, created_by, project, feature_name, data, created_at)
      select
        'feature-updated', 'ana',
        case when i % ${EVENTS / RARE_EVENTS} = 0 then 'rare' else 'large' end,
        case when i % ${EVENTS / RARE_EVENTS} = 0 then 'rare-feature' else 'f' || i % 1000 end,
        '{}', timestamptz '2026-11-01Z' + i / 5000 * interval '1 microsecond'
      from generate_series(1, ${EVENTS}) as i`);
    await world.db.query(`
      insert into features (name, project, archived_at)
      select 'f' || i, 'default', case when i % 100 = 0 then now() end
      from generate_series(1, ${FEATURES}) as i`);
    await world.db.query(`
      insert into feature_environments (feature_name, environment, enabled)
      select f.name, e.name, true from features as f cross join environments as e`);
    await world.db.query(`
      insert into feedback (category, positive, created_at)
      select 'search', 'f' || i, timestamptz '2026-11-01Z' + i / 700 * interval '1 microsecond'
      from generate_series(1, ${FEEDBACK}) as i`);
    await world.db.query(`
      update feature_last_seen
      set last_seen_at = timestamptz '2026-11-01Z' + substr(feature_name, 2)::int / 30 * interval '1 hour'`);
    // The plans count on what autovacuum does sooner or later: above all, rows that wait for their place in an index make it look dear.
    for (const table of ['events', 'features', 'feature_environments', 'feature_last_seen', 'feedback'])
      await world.db.query(`vacuum (analyze) ${table}`);
  });
  after(() => pools.close());

  const all = async <Item>(pages: Pages<Item> | undefined): Promise<Item[]> => {
    const items: Item[] = [];
    for await (const page of pages ?? []) items.push(...page);
    return items;
  };

  const ALL = { caller: ANYBODY, visible: undefined, names: undefined };
  const LISTS: Readonly<Record<string, () => Promise<unknown>>> = {
    'the latest events and their number': () => createEvents(pools.lists).listLatest(100, undefined),
    'events of a rare project': async () => all(await createEvents(pools.lists).ofProject('rare', undefined)),
    'events of a rare feature': async () =>
      all(await createEvents(pools.lists).ofFeature('rare-feature', undefined)),
    'the beginning of the events of a large project': () =>
      createEvents(pools.lists).ofProject('large', undefined),
    'all feedback': async () => all(await listFeedback(pools.lists)),
    'active features': async () =>
      all(await listFeaturesOf(pools.lists, { project: 'default', areArchived: false, caller: ANYBODY })),
    'archived features': async () =>
      all(await listFeaturesOf(pools.lists, { project: 'default', areArchived: true, caller: ANYBODY })),
    'a page of features by time': () =>
      search().features({ sort: '-createdAt', limit: 100, archived: false }, ALL),
    'a page of features by name, from the middle': () =>
      search().features({ sort: 'name', limit: 100, archived: false, cursor: AFTER_F5 }, ALL),
    'a page of features by their last evaluation': async () => {
      await search().features({ sort: 'lastSeenAt', limit: 100, archived: false }, ALL);
      const cursor = encodeCursor('-lastSeenAt', [String(Date.UTC(2026, 10, 2) * 1000), 'f5']);
      await search().features({ sort: '-lastSeenAt', limit: 100, archived: false, cursor }, ALL);
    },
    'a page of events with a text that no event has': () =>
      search().events({ sort: '-createdAt', limit: 100, search: 'nobody' }, undefined),
    'a page of events': () => search().events({ sort: '-createdAt', limit: 100 }, undefined),
    'a page of events of a project and of a type': async () => {
      await search().events({ sort: 'createdAt', limit: 100, project: 'rare' }, undefined);
      await search().events({ sort: '-createdAt', limit: 100, type: 'feature-updated' }, undefined);
    },
  };
  const search = () => createSearch(pools.lists, world.clickhouse);
  for (const [title, read] of Object.entries(LISTS)) {
    it(`read ${title} by statements that read few rows each`, async () => {
      const statements = (await statementsOf(pools.lists, read)).filter(({ text }) =>
        /^\s*select/.test(text),
      );
      expect(statements).not.to.deep.equal([]);
      // The first pages, the middle and the last.
      const some = [0, 1, 2, statements.length / 2, statements.length - 1].map(Math.floor);
      for (const statement of statements.filter((_, index) => some.includes(index))) {
        for (const node of await planOf(pools.lists, statement)) {
          expect(rowsReadBy(node), `${node['Node Type']} in ${statement.text}`).to.be.at.most(MAX_ROWS);
        }
      }
    });
  }

  it('contain every event of a project once, newest first, even if many have the same timestamp', async () => {
    const { body } = await world.api.get('/api/admin/events?project=rare');
    const { events, totalEvents } = body as { events: { id: number }[]; totalEvents: number };
    const { rows } = await world.db.query<{ id: string }>(
      `select id from events where project = 'rare' order by created_at desc, id desc`,
    );
    expect(events.map(({ id }) => id)).to.deep.equal(rows.map(({ id }) => Number(id)));
    expect(totalEvents).to.equal(rows.length);
  });

  it('contain all feedback once, newest first', async () => {
    const { body } = await world.api.get('/api/admin/feedback');
    const { rows } = await world.db.query<{ id: number }>(
      'select id from feedback order by created_at desc, id desc',
    );
    expect((body as { id: number }[]).map(({ id }) => id)).to.deep.equal(rows.map(({ id }) => id));
  });

  for (const archived of [false, true]) {
    it(`contain all features that are ${archived ? '' : 'not '}archived, by name`, async () => {
      const { body } = await world.api.get(`/api/admin/projects/default/features?archived=${archived}`);
      const { rows } = await world.db.query<{ name: string }>(
        `select name from features where (archived_at is not null) = $1 order by name`,
        [archived],
      );
      const names = (body as { features: { name: string }[] }).features.map(({ name }) => name);
      expect(names).to.deep.equal(rows.map(({ name }) => name));
    });
  }

  it('know the number of events through inserts, deletions, rollbacks and adding up', async () => {
    const number = async () => (await createEvents(pools.lists).listLatest(1, undefined)).total ?? 0;
    const before = await number();
    const insert = `insert into events (type, created_by) select 'test', 'ana' from generate_series(1, $1::int)`;
    for (let statement = 0; statement < 150; statement += 1) await world.db.query(insert, [2]);
    expect(await number()).to.equal(before + 300);
    const client = await world.db.connect();
    await client.query('begin');
    await client.query(insert, [7]);
    await Promise.all([foldEventCounts(world.db), foldEventCounts(world.db)]);
    expect(await number()).to.equal(before + 300);
    await client.query('rollback');
    client.release();
    const { rows } = await world.db.query<{ count: number }>(
      'select count(*)::int as count from event_counts',
    );
    expect(rows[0]?.count).to.be.lessThan(10);
    await world.db.query(`delete from events where type = 'test' and id % 2 = 0`);
    const { rows: counted } = await world.db.query<{ count: number }>(
      'select count(*)::int as count from events',
    );
    expect(await number()).to.equal(counted[0]?.count);
  });
});
