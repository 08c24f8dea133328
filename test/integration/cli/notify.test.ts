import { expect } from 'chai';
import { FlagmeterError } from '#runtime';
import { type AdminWorld, createAdminWorld } from '../../support/admin.ts';
import { callCli, rowsOf } from '../../support/processes/cli-in-process.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
} from '../../support/receivers/notified-world.ts';

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
    const [message] = good.received;
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
