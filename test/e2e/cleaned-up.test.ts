import { expect } from 'chai';
import { syncLastSeen } from '#catalogue';
import { refreshVerdicts } from '#clickhouse';
import type { CleanUp } from '../../services/admin/clean-ups/schema.ts';
import { observeCleanUps } from '../../services/admin/clean-ups/store/observe.ts';
import { type Api, aFeature, aUser, openApi } from '../support/admin.ts';
import { createHistory, untilHistoryLasts } from '../support/builders/history.ts';
import { ARCHIVE, IN_PRODUCTION, REQUESTS, stepAsRead } from '../support/admin-api/change-requests.ts';
import { eventually } from '../support/eventually.ts';
import { surviveDeadHour } from '../support/receivers/dead-receiver.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
} from '../support/receivers/notified-world.ts';
import { createWorld } from '../support/world.ts';

const FLAG = 'old-banner';

describe('a flag that decides nothing', () => {
  let world: NotifiedWorld;
  before(async () => {
    world = await createNotifiedWorld(createWorld);
  });
  after(() => world.dispose());

  /** Another flag is evaluated all the time. */
  async function evaluate(lastHoursAgo: number): Promise<void> {
    const history = createHistory();
    for (const name of [FLAG, 'busy']) history.exists(name);
    history.seen(FLAG, { first: 100 * 24, last: lastHoursAgo });
    history.seen('busy', { first: 24, last: 1 });
    history.evaluated({ feature: FLAG, daysAgo: 2, yes: 2000 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    await syncLastSeen(world.db, world.clickhouse);
  }

  /** All counts were a day older. */
  async function passDay(): Promise<void> {
    for (const table of ['feature_seen_states', 'usage_daily', 'feature_app_seen_states'])
      await world.clickhouse.command({ query: `truncate table ${table}` });
    await evaluate(26);
  }

  async function card(api: Api): Promise<CleanUp | undefined> {
    await observeCleanUps(world.db);
    const { body } = await api.get(`/api/admin/clean-ups?feature=${FLAG}`);
    return (body as { cleanUps: CleanUp[] }).cleanUps[0];
  }

  it('is told to its owner, removed from the code, seen to be gone, and archived', async () => {
    const dead = await world.startReceiver();
    const first = await world.fork('admin');
    const before = await openApi(first.url);
    for (const name of [FLAG, 'busy']) await aFeature(before, name);
    const subscribed = await subscribe(before, dead.url, {
      ...{ name: 'owners', causes: ['verdict-appeared'], verdicts: ['always_on'] },
    });
    await dead.close();
    await untilHistoryLasts();
    await evaluate(1);

    // The verdict appears while the receiver is dead, and the sender is killed twice.
    const { accepted, unanswered, sender } = await surviveDeadHour(world, {
      ...{ port: dead.port, sender: first },
    });
    expect(accepted).to.have.length(1);
    const [message] = accepted.map((one) => opened(one, subscribed));
    expect(message).to.deep.equal(opened(unanswered, subscribed));
    expect(message?.data).to.deep.include({ verdict: 'always_on', featureName: FLAG, evaluations: 2000 });
    const api = await openApi(sender.url);
    const told = await eventually(
      () => card(api),
      (one) => one?.stage === 'told',
    );
    expect(told?.told?.to).to.equal('owners');
    expect(told?.verdicts.map(({ verdict }) => verdict)).to.include('always_on');

    // A person removes it from the code, and it is not evaluated any more.
    const editor = await aUser(api, 'Editor', 'eve');
    const removal = { stage: 'removal', url: 'https://git.example.org/shop/pull/17' };
    const moved = await api.put(`/api/admin/clean-ups/${FLAG}`, removal, { token: editor.token });
    expect(moved.status).to.equal(200);
    expect((await card(api))?.stage).to.equal('removal');
    await passDay();
    expect(await card(api)).to.deep.include({ stage: 'gone', movedBy: null, url: removal.url });

    // Another person approves that it is archived.
    const approver = await aUser(api, 'Admin', 'ada');
    const changes = { title: 'Archive', changes: [{ feature: FLAG, ...ARCHIVE }] };
    const { body } = await api.post(IN_PRODUCTION, changes, { token: editor.token });
    const path = `${REQUESTS}/${(body as { id: number }).id}`;
    for (const [state, { token }] of [
      ['In review', editor],
      ['Approved', approver],
      ['Applied', approver],
    ] as const) {
      const { status, body: answer } = await stepAsRead(api, { path, change: { state }, token });
      expect(status, JSON.stringify(answer)).to.equal(200);
    }
    expect(await card(api)).to.deep.include({
      ...{ stage: 'archived', url: removal.url, changeRequestId: (body as { id: number }).id },
    });
    await sender.stop();
  });
});
