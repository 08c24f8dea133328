import { expect } from 'chai';
import pg from 'pg';
import { eventually } from '../support/eventually.ts';
import { Ledger } from '../support/ledger.ts';
import { type Load, startLoad } from '../support/load.ts';
import { type OwnEngine, ownPostgres } from '../support/own-engines.ts';
import { chooseSeed, createRandom } from '../support/random.ts';
import { type World, createWorld } from '../support/world.ts';

const seed = chooseSeed();

describe(`a Postgres that is away (SEED=${seed})`, function () {
  this.timeout(90_000);
  let postgres: OwnEngine;
  let world: World;
  let running: Load | undefined;

  before(async () => {
    postgres = await ownPostgres();
    world = await createWorld({ DATABASE_URL: postgres.address });
  });
  after(async () => {
    await postgres.revive();
    await running?.stop();
    await world.dispose();
    await postgres.dispose();
  });

  it('leaves the worker alive when it dies in the middle of a transaction, and counting as it was, and gets the applications when it is back', async () => {
    const ledger = new Ledger();
    const [front] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
    const load = startLoad({ ledger, random: createRandom(seed), url: () => front.url });
    running = load;
    await load.acknowledged(10);
    const locked = await lockApplications(world.config.postgres.url);
    await eventually(
      () => locked.countWaiting(),
      (waiting) => waiting > 0,
    );
    await postgres.kill();
    await load.acknowledged(60);
    await load.stop();
    await ledger.expectCountedOnce(world);
    expect(ledger.count('refused')).to.equal(0);
    expect(ledger.count('unknown')).to.equal(0);
    await postgres.restart();

    const expected = ledger.acknowledgedApplications().toSorted();
    const applications = await eventually(
      () => readApplications(world),
      (names) => names.length >= expected.length,
    );
    expect(applications.toSorted()).to.deep.equal(expected);
  });
});

async function readApplications({ db }: World): Promise<string[]> {
  const { rows } = await db.query<{ app_name: string }>('select app_name from client_applications');
  return rows.map(({ app_name }) => app_name);
}

/** Keeps the worker inside a transaction: what it writes to waits until the connection of the lock ends. */
async function lockApplications(url: string): Promise<{ countWaiting(): Promise<number> }> {
  const client = new pg.Client({ connectionString: url });
  client.on('error', () => undefined); // the server is about to be killed
  await client.connect();
  await client.query('begin');
  await client.query('lock table client_applications in exclusive mode');
  return {
    async countWaiting() {
      const { rows } = await client.query("select from pg_stat_activity where wait_event_type = 'Lock'");
      return rows.length;
    },
  };
}
