import { expect } from 'chai';
import { createTokenUses } from '#base/auth';
import { registerApplications } from '#fleet/catalogue';
import { registrationOf } from '#core/counting';
import { SYSTEM, hashSecret } from '#base/tokens';
import { createDailyWrites } from '../../../../services/admin/people/users/store/daily-writes.ts';
import { anArrivedReport, storeReports } from '../../../support/senders/relays.ts';
import { CLIENT_TOKEN, type World, sharedWorld } from '../../../support/world.ts';

const MINUTE_MS = 60_000;

/** Each table keeps the time of the latest report, use or write. Another one comes after the clock was set right. */
const WRITES: Readonly<Record<string, (world: World) => Promise<unknown>>> = {
  relays: (world) => storeReports(world, anArrivedReport('a', Date.now())),
  client_applications: register,
  client_applications_usage: register,
  client_instances: register,
  api_tokens: async ({ db, log }) => {
    const uses = createTokenUses(db, log);
    uses.note(hashSecret(CLIENT_TOKEN), '192.0.2.7');
    await uses.close();
  },
  daily_writes: ({ db }) =>
    createDailyWrites(db, { writes: 1, bytes: 1 }).count({ ...SYSTEM, role: 'Viewer' }, 1),
};

/** Every column with a time, by what a time of the future means there. */
const COLUMNS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'it is a time of the future': {
    api_tokens: 'expires_at',
    personal_access_tokens: 'expires_at',
    sessions: 'ends_at',
    change_request_schedule: 'scheduled_at',
    verdicts: 'acknowledged_until',
  },
  // Tested here, where copies are restored, with sessions, notifications, verdicts, the board, code references and guards.
  'it is taken for now, or for none': {
    api_tokens: 'seen_at seen_ipv4_at seen_ipv6_at',
    personal_access_tokens: 'seen_at seen_ipv4_at seen_ipv6_at',
    sessions: 'created_at seen_at',
    daily_writes: 'began_at',
    client_applications: 'seen_at',
    client_applications_usage: 'seen_at',
    client_instances: 'reporting_since last_seen',
    feature_environments: 'changed_at',
    past_configurations: 'valid_from valid_to',
    unleash_sync: 'listed_at',
    feature_last_seen: 'last_seen_at',
    relays: 'last_report_at',
    verdicts: 'absent_since',
    notification_subscriptions: 'created_at',
    notification_deliveries: 'due_at queued_at',
    code_repositories: 'committed_at',
    clean_ups: 'since held_at',
  },
  'it has happened, whenever that was': {
    users: 'deleted_at',
    api_tokens: 'revoked_at',
    personal_access_tokens: 'revoked_at',
    sessions: 'revoked_at',
    strategies: 'vanished_at',
    projects: 'archived_at vanished_at',
    environments: 'vanished_at',
    features: 'archived_at vanished_at',
    change_request_approvals: 'withdrawn_at',
    verdicts: 'ended_at acknowledged_at',
    notification_deliveries: 'attempted_at delivered_at',
    history_imports: 'intent_at',
  },
  'it is shown, orders a list, or is deleted late': {
    users: 'created_at',
    api_tokens: 'created_at',
    personal_access_tokens: 'created_at',
    client_applications: 'created_at updated_at',
    client_instances: 'created_at updated_at',
    events: 'created_at',
    strategies: 'created_at',
    projects: 'created_at updated_at',
    environments: 'created_at',
    features: 'created_at',
    favorite_features: 'created_at',
    feedback: 'created_at',
    unleash_sync: 'succeeded_at',
    unleash_outdated_features: 'marked_at',
    guard_setters: 'set_at',
    change_requests: 'created_at changed_at',
    change_request_events: 'created_at',
    change_request_approvals: 'created_at',
    change_request_rejections: 'created_at',
    change_request_comments: 'created_at',
    dead_letter_replays: 'started_at',
    history_imports: 'from_time before_time started_at',
    relays: 'started_at first_seen_at',
    verdicts: 'since appeared_at',
    notification_subscriptions: 'delivered_at',
    notification_causes: 'created_at',
    notification_deliveries: 'created_at',
    code_repositories: 'pushed_at',
    clean_ups: 'told_at',
    audit_entries: 'at',
    rejected_bodies: 'first_at last_at',
    rejected_body_writers: 'written_at',
  },
};

describe('a time of tomorrow, from a clock that was ahead', () => {
  const world = sharedWorld();

  for (const [table, write] of Object.entries(WRITES))
    it(`hides no later write: ${table}`, async () => {
      await write(world);
      const written = await times(table);
      await world.db.query(
        `update ${table} set ${written.map((name) => `${name} = ${name} + interval '1 day'`).join(', ')}`,
      );
      expect(await times(table, 'tomorrow')).to.have.members(written);
      await write(world);

      expect(await times(table, 'tomorrow')).to.deep.equal([]);
    });

  it('is in no column of which nobody has said what becomes of it', async () => {
    const { rows } = await world.db.query<{ name: string }>(
      `select c.table_name || '.' || c.column_name as name
       from information_schema.columns as c
       join information_schema.tables as t using (table_schema, table_name)
       where c.table_schema = 'public'
         and t.table_type = 'BASE TABLE'
         and c.data_type = 'timestamp with time zone'`,
    );
    const known = Object.values(COLUMNS).flatMap((tables) =>
      Object.entries(tables).flatMap(([table, columns]) =>
        columns.split(' ').map((name) => `${table}.${name}`),
      ),
    );
    expect(rows.map(({ name }) => name).sort()).to.deep.equal(known.sort());
  });

  /** The columns for the latest time that hold one, or one that is in the future. */
  async function times(table: string, when?: 'tomorrow'): Promise<string[]> {
    const { rows } = await world.db.query<{ name: string }>(
      `select distinct key as name
       from ${table} as t
       cross join jsonb_each_text(to_jsonb(t))
       where key in ('last_report_at', 'seen_at', 'seen_ipv4_at', 'last_seen', 'reporting_since', 'began_at')
         and value is not null
         and ($1 or value::timestamptz > now() + interval '1 minute')
       order by key`,
      [when === undefined],
    );
    return rows.map(({ name }) => name);
  }
});

function register({ db }: World): Promise<void> {
  return registerApplications(db, [
    registrationOf(
      { appName: 'shop', instanceId: 'one', environment: 'production' },
      Date.now() - MINUTE_MS / 60,
    ),
  ]);
}
