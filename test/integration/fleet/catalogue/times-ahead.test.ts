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
