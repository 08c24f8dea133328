import { expect } from 'chai';
import {
  syncChangeRequests,
  syncCodeReferences,
  syncEvents,
  syncFeatures,
  syncPastConfigurations,
  syncProjectsAndEnvironments,
} from '#fleet/catalogue';
import { type World, createWorld } from '../../../support/world.ts';

describe('the sync of the configuration', () => {
  let world: World;
  before(async () => {
    world = await createWorld();
    await world.db.query(`insert into features (name, project) values ('basket', 'default')`);
  });
  after(() => world.dispose());

  it('shows how a feature is configured, and each earlier configuration with its time', async () => {
    await configure({ enabled: true, strategies: [rollout('25')] });
    await configure({ enabled: true, strategies: [rollout('50')] });
    // A statement without effect is no change.
    await configure({ enabled: true, strategies: [rollout('50')] });
    await sync();

    const [now] = await world.query(
      `select feature_name, project, environment, enabled, rollout_percent, variants from feature_configurations`,
    );
    expect(now).to.deep.equal({
      feature_name: 'basket',
      project: 'default',
      environment: 'production',
      enabled: true,
      rollout_percent: 50,
      variants: { blue: 500, red: 500 },
    });
    expect(
      await world.query(
        `select rollout_percent, valid_to is null as is_now,
           valid_from = lagInFrame(valid_to) over (order by is_now) as follows
         from feature_configuration_history
         order by is_now`,
      ),
    ).to.deep.equal([
      { rollout_percent: 25, is_now: 0, follows: null },
      { rollout_percent: 50, is_now: 1, follows: 1 },
    ]);
  });

  it('keeps the history of a deleted feature', async () => {
    await world.db.query(`delete from features where name = 'basket'`);
    await sync();

    expect(await world.query('select * from feature_configurations')).to.deep.equal([]);
    const history = await world.query(
      `select rollout_percent, valid_to is null as is_now from feature_configuration_history order by valid_to`,
    );
    expect(history).to.deep.equal([
      { rollout_percent: 25, is_now: 0 },
      { rollout_percent: 50, is_now: 0 },
    ]);
  });

  it('copies an event that was committed after a later one', async () => {
    const late = await world.db.connect();
    try {
      await late.query('begin');
      await late.query(anEvent('feature-created'));
      await world.db.query(anEvent('feature-archived'));
      await syncEvents(world.db, world.clickhouse);
      await late.query('commit');
    } finally {
      late.release();
    }
    await syncEvents(world.db, world.clickhouse);

    expect(
      await world.query(
        'select type, created_by, before, after, change_request_id from events order by event_id',
      ),
    ).to.deep.equal([
      { type: 'feature-created', created_by: 'ana', before: '', after: '{"a": 1}', change_request_id: 7 },
      { type: 'feature-archived', created_by: 'ana', before: '', after: '{"a": 1}', change_request_id: 7 },
    ]);
  });

  it('leaves out the events of users and tokens', async () => {
    for (const type of ['user-created', 'api-token-created', 'pat-created', 'project-access-added'])
      await world.db.query(anEvent(type));
    await syncEvents(world.db, world.clickhouse);

    expect(await world.query('select count() as count from event_copies final')).to.deep.equal([
      { count: '2' },
    ]);
  });

  it('shows change requests, and forgets one that was deleted', async () => {
    await world.db.query(`insert into features (name, project) values ('basket', 'default')`);
    await world.db.query(
      `insert into change_requests (project, environment, title, state, state_timestamps, created_by)
       values
         ('default', 'production', 'Widen', 'In review', '{"In review": "2026-11-21T10:00:00.000Z"}', -1),
         ('default', 'development', null, 'Applied', '{"Applied": "no time"}', -1)`,
    );
    await syncChangeRequests(world.db, world.clickhouse);
    await world.db.query(
      `insert into change_request_events (change_request_id, feature, action, created_by)
       select id, 'basket', 'updateEnabled', -1 from change_requests where title = 'Widen'`,
    );
    await syncChangeRequests(world.db, world.clickhouse);
    const rows = () =>
      world.query(
        `select title, state, if(state = 'Applied', '', toString(state_since)) as since, features, changes, created_by
         from change_requests
         order by environment`,
      );
    const applied = {
      title: '',
      state: 'Applied',
      since: '',
      features: [],
      changes: 0,
      created_by: 'unknown',
    };
    expect(await rows()).to.deep.equal([
      applied,
      {
        title: 'Widen',
        state: 'In review',
        since: '2026-11-21 10:00:00.000',
        features: ['basket'],
        changes: 1,
        created_by: 'unknown',
      },
    ]);

    await world.db.query(`delete from change_requests where title = 'Widen'`);
    await syncChangeRequests(world.db, world.clickhouse);
    expect(await rows()).to.deep.equal([applied]);
  });

  it('shows projects and environments, and forgets one that was deleted', async () => {
    await world.db.query(`insert into environments (name, type) values ('staging', 'test')`);
    await syncProjectsAndEnvironments(world.db, world.clickhouse);
    await world.db.query(`delete from environments where name = 'staging'`);
    await world.db.query(`update projects set archived_at = now() where id = 'default'`);
    await syncProjectsAndEnvironments(world.db, world.clickhouse);

    expect(await world.query('select project, archived from projects')).to.deep.equal([
      { project: 'default', archived: true },
    ]);
    expect(await world.query('select environment, type from environments order by sort_order')).to.deep.equal(
      [
        { environment: 'development', type: 'development' },
        { environment: 'production', type: 'production' },
      ],
    );
  });

  it('shows the references of each scanned branch, and follows pushes and deletions', async () => {
    await world.db.query(
      `with pushed as (
         insert into code_repositories (name, branch, commit, committed_at, pushed_by, left_out)
         values ('shop', 'main', 'c1', now(), 'ci', 0), ('pay', 'main', 'c1', now(), 'ci', 0), ('none', 'main', 'c1', now(), 'ci', 0)
         returning id, name
       )
       insert into code_references (repository_id, feature_name, path, line, kind)
       select id, 'basket', name || '.ts', line, case line when 1 then 'call' else 'mention' end
       from pushed
       cross join generate_series(1, 2) as line
       where name <> 'none'`,
    );
    const rows = async () => {
      await syncCodeReferences(world.db, world.clickhouse);
      return world.query(
        'select repository, commit, feature_name, path, line, kind from code_references order by repository, line',
      );
    };
    const of = (repository: string, commit: string) => ({ repository, commit, feature_name: 'basket' });
    const pay = { ...of('pay', 'c1'), path: 'pay.ts' };
    const shop = { ...of('shop', 'c1'), path: 'shop.ts' };
    const first = [
      { ...pay, line: 1, kind: 'call' },
      { ...pay, line: 2, kind: 'mention' },
      { ...shop, line: 1, kind: 'call' },
      { ...shop, line: 2, kind: 'mention' },
    ];
    expect(await rows()).to.deep.equal(first);
    expect(await rows()).to.deep.equal(first);
    const copies = () =>
      world.query<{ count: string }>('select count() as count from code_repository_copies');
    expect(await copies()).to.deep.equal([{ count: '3' }]);

    await world.db.query(`delete from code_references where path = 'shop.ts' and line = 1`);
    await world.db.query(
      `update code_repositories set commit = 'c2', pushed_at = clock_timestamp() where name = 'shop'`,
    );
    await world.db.query(`delete from code_repositories where name = 'pay'`);
    expect(await rows()).to.deep.equal([{ ...of('shop', 'c2'), path: 'shop.ts', line: 2, kind: 'mention' }]);
  });

  it('copies strategies that no API would accept, which an import may store', async () => {
    const strategies = [null, 'text', { name: 7, parameters: [], variants: [{ weight: -1e300 }, 'text'] }];
    await configure({ enabled: true, strategies });
    await syncFeatures(world.db, world.clickhouse);

    expect(await world.query('select rollout_percent, variants from feature_configurations')).to.deep.equal([
      { rollout_percent: null, variants: {} },
    ]);
  });

  it('writes nothing while nothing changes', async () => {
    await syncAll();
    const before = await lastWrites();
    await syncAll();

    expect(await lastWrites()).to.deep.equal(before);
  });

  async function configure(configuration: { enabled: boolean; strategies: readonly unknown[] }) {
    await world.db.query(
      `insert into feature_environments (feature_name, environment, enabled, strategies)
       values ('basket', 'production', $1, $2)
       on conflict (feature_name, environment) do update
       set enabled = excluded.enabled, strategies = excluded.strategies`,
      [configuration.enabled, JSON.stringify(configuration.strategies)],
    );
  }

  async function sync(): Promise<void> {
    await syncFeatures(world.db, world.clickhouse);
    await syncPastConfigurations(world.db, world.clickhouse);
  }

  async function syncAll(): Promise<void> {
    await sync();
    await syncProjectsAndEnvironments(world.db, world.clickhouse);
    await syncChangeRequests(world.db, world.clickhouse);
    await syncEvents(world.db, world.clickhouse);
  }

  /** When each table was last written. */
  async function lastWrites(): Promise<unknown> {
    const tables = await world.query<{ name: string }>(
      `select name from system.tables where database = currentDatabase() and name like '%\\_copies' order by name`,
    );
    const times = tables.map(({ name }) =>
      world.query(`select '${name}' as name, max(copied_at) as at from ${name}`),
    );
    return Promise.all(times);
  }
});

function rollout(percent: string): object {
  const variants = ['red', 'blue'].map((name) => ({ name, weight: 500 }));
  return {
    id: '00000000-0000-4000-8000-000000000001',
    name: 'flexibleRollout',
    parameters: { rollout: percent, stickiness: 'default', groupId: 'basket' },
    variants,
  };
}

function anEvent(type: string): string {
  return `insert into events (type, created_by, data, group_type, group_id)
          values ('${type}', 'ana', '{"a": 1}', 'change-request', '7')`;
}
