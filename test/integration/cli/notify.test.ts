import { expect } from 'chai';
import { FlagmeterError, readConfig } from '#base/runtime';
import { type AdminWorld, createAdminWorld } from '../../support/admin-api/admin.ts';
import { callCli, rowsOf } from '../../support/stack/processes/cli-in-process.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
} from '../../support/servers/receivers/notified-world.ts';

describe('flagmeter notify test', () => {
  let world: NotifiedWorld<AdminWorld>;
  before(async () => {
    world = await createNotifiedWorld(createAdminWorld);
  });
  after(() => world.dispose());

  it('sends each subscription a signed message, and shows who has not accepted it', async () => {
    const good = await world.startReceiver();
    const bad = await world.startReceiver();
    bad.answer((response) => response.writeHead(403).end());
    const subscribed = await subscribe(world.api, good.url, { name: 'good' });
    await subscribe(world.api, bad.url, { name: 'bad' });
    const { output, exitCode } = await callCli(world, 'notify', 'test');
    expect(rowsOf(output).map(({ name, outcome }) => `${name ?? ''}: ${outcome ?? ''}`)).to.deep.equal([
      'good: accepted',
      'bad: The receiver answered 403.',
    ]);
    expect(exitCode).to.equal(1);
    const asJson = JSON.parse((await callCli(world, 'notify', 'test', '--json')).output) as unknown[];
    expect(asJson[1]).to.deep.include({ name: 'bad', outcome: 'The receiver answered 403.' });
    const message = good.received.find((one) => opened(one, subscribed).type === 'test');
    if (message === undefined) throw new Error('nothing arrived');
    expect(opened(message, subscribed)).to.deep.include({ type: 'test' });
    expect(opened(message, subscribed).data.sentence).to.include('flagmeter notify test has tried it');
    expect((await callCli(world, 'notify', 'test', String(subscribed.id))).exitCode).to.equal(0);
  });

  it('says that there is no such subscription', async () => {
    const failure = await callCli(world, 'notify', 'test', '9999').catch((error: unknown) => error);
    expect(failure).to.be.instanceOf(FlagmeterError).with.property('code', 'not-found');
  });
});

describe('flagmeter doctor', () => {
  const world = sharedUncountedWorld();
  after(() => world.dispose());

  /** What it says about notifications. */
  async function finding(): Promise<object> {
    // Nothing listens there: the checks of ClickHouse and of the accounting are dear, and not looked at here.
    const config = readConfig({ ...world.env, CLICKHOUSE_URL: 'http://127.0.0.1:9' });
    const { output } = await callCli({ ...world, config }, 'doctor', '--json');
    const { checks } = JSON.parse(output) as { checks: { check: string }[] };
    return checks.find(({ check }) => check === 'notifications') ?? {};
  }

  it('finds notifications that are not accepted', async () => {
    expect(await finding()).to.include({ state: 'ok' });
    const { rows } = await world.db.query<{ id: number }>(
      `insert into notification_subscriptions (name, channel, host, sealed_url, sealed_secret, seal_id, causes, created_by)
       select 'receiver', 'webhook', '', '', '', gen_random_uuid(), '{}', 'test' from generate_series(1, 3)
       returning id`,
    );
    const [one, two, three] = rows.map(({ id }) => id);
    await world.db.query(
      `insert into notification_deliveries (subscription_id, type, data, state, problem, queued_at)
       values
         ($1, 'test', '{}', 'failed', 'closed', now() - interval '1 day'),
         ($1, 'test', '{}', 'failed', 'closed', now() - interval '1 day'),
         ($2, 'test', '{}', 'pending', 'closed', now() - interval '2 hours'),
         ($2, 'test', '{}', 'delivered', null, now() - interval '2 hours'),
         ($3, 'test', '{}', 'pending', 'closed', now() - interval '5 minutes'),
         ($3, 'test', '{}', 'pending', null, now() - interval '2 hours')`,
      [one, two, three],
    );
    expect(await finding()).to.include({
      state: 'warn',
      text: `3 messages of these subscriptions were not accepted: ${one}, ${two}.`,
      advice: 'Try their receivers: flagmeter notify test.',
    });
  });
});
