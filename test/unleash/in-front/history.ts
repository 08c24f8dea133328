import { expect } from 'chai';
import { openPostgres } from '#base/postgres';
import { eventually } from '../../support/eventually.ts';
import { callCli } from '../../support/stack/processes/cli-in-process.ts';
import { type World, createWorld } from '../../support/world.ts';
import type { Front } from './front.ts';

const HOUR_MS = 3_600_000;
/** The hour before the current one, also if the test runs across the end of an hour. */
const HOUR = new Date(Math.floor(Date.now() / HOUR_MS) * HOUR_MS - HOUR_MS).toISOString();
const FEATURE = 'imported';

export function testHistory(front: () => Front): void {
  let unleash: Front['unleash'];
  let world: World;

  before(async () => {
    ({ unleash } = front());
    world = await createWorld({ UNLEASH_DATABASE_URL: unleash.databaseUrl });
    await unleash.createFeature(FEATURE);
  });
  after(() => world.dispose());

  it('is imported once, with its variants', async () => {
    const metric = { featureName: FEATURE, appName: 'shop', environment: 'production', timestamp: HOUR };
    await report([{ ...metric, yes: 7, no: 2, variants: { blue: 3, red: 4 } }]);
    await untilUnleashHas({ variants: 2 });
    for (const repetition of ['first', 'second']) {
      await callCli(world, 'import-unleash', '--yes');
      expect(await readUsage(), repetition).to.deep.equal([{ yes: '7', no: '2', variants: '7' }]);
    }
    expect((await callCli(world, 'reconcile')).exitCode).to.equal(0);
  });

  async function report(metrics: readonly object[]): Promise<void> {
    const { status } = await fetch(`${unleash.address}/api/client/metrics/bulk`, {
      method: 'POST',
      headers: { authorization: unleash.secrets.production, 'content-type': 'application/json' },
      body: JSON.stringify({ applications: [], metrics }),
    });
    expect(status).to.equal(202);
  }

  async function untilUnleashHas({ variants }: { readonly variants: number }): Promise<void> {
    const access = { url: unleash.databaseUrl, tls: undefined, maxConnections: 1, log: world.log };
    const db = openPostgres(access);
    try {
      await eventually(
        () => db.query('select from client_metrics_env_variants where feature_name = $1', [FEATURE]),
        ({ rowCount }) => rowCount === variants,
        60_000,
      );
    } finally {
      await db.end();
    }
  }

  function readUsage(): Promise<unknown[]> {
    return world.query(
      `select sum(u.yes) as yes, sum(u.no) as no, (select sum(v.count) from variants_by_hour as v) as variants
       from usage_by_hour as u
       where hour = parseDateTimeBestEffort({hour:String}, 'UTC')`,
      { hour: HOUR },
    );
  }
}
