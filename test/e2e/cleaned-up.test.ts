import { expect } from 'chai';
import { syncLastSeen } from '#fleet/catalogue';
import { refreshVerdicts } from '#core/clickhouse';
import type { CleanUp } from '../../services/admin/advice/clean-ups/schema.ts';
import { observeCleanUps } from '../../services/admin/advice/clean-ups/store/observe.ts';
import { type Api, aFeature, aUser, openApi } from '../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../support/builders/history.ts';
import { connectByHttp } from '../support/admin-api/agents.ts';
import { ARCHIVE, IN_PRODUCTION, REQUESTS, stepAsRead } from '../support/admin-api/change-requests.ts';
import { eventually } from '../support/eventually.ts';
import { type GitRepository, createGitRepository } from '../support/repositories/git-repository.ts';
import { describeNightly } from '../support/nightly.ts';
import { callCli } from '../support/stack/processes/cli-in-process.ts';
import { surviveDeadHour } from '../support/servers/receivers/dead-receiver.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
} from '../support/servers/receivers/notified-world.ts';
import { createWorld } from '../support/world.ts';

const FLAG = 'old-banner';

describeNightly('a flag that decides nothing', function () {
  this.timeout(600_000);
  let world: NotifiedWorld;
  let repository: GitRepository;
  before(async () => {
    world = await createNotifiedWorld(createWorld);
    repository = await createGitRepository('https://github.com/acme/shop.git');
  });
  after(async () => {
    await repository.dispose();
    await world.dispose();
  });

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
    for (const table of ['usage_daily', 'feature_app_seen_states'])
      await world.clickhouse.command({ query: `truncate table ${table}` });
    await evaluate(26);
  }

  /** Commits these files, and pushes what `flagmeter scan` finds in them, as a job of the repository does. */
  async function scan(api: Api, files: Readonly<Record<string, string>>): Promise<void> {
    const { body } = await api.post('/api/admin/api-tokens', { tokenName: 'ci', type: 'scan' });
    world.env['FLAGMETER_TOKEN'] = (body as { secret: string }).secret;
    await repository.write(files);
    await repository.commit();
    await callCli(world, 'scan', repository.folder, '--push', '--url', api.url);
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
      name: 'owners',
      causes: ['verdict-appeared'],
      verdicts: ['always_on'],
    });
    await dead.close();
    await untilHistoryLasts();
    await evaluate(1);

    // The verdict appears while the receiver is dead, and the sender is killed twice.
    const { accepted, unanswered, sender } = await surviveDeadHour(world, {
      port: dead.port,
      sender: first,
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

    // The code of a repository names it twice.
    const banner = `if (unleash.isEnabled('${FLAG}')) show();\n`;
    await scan(api, { 'src/banner.ts': banner, 'docs/flags.md': `The banner needs ${FLAG}.\n` });
    expect(await card(api)).to.deep.include({ stage: 'told', codeReferences: 2 });

    // A person removes it from the code, and it is not evaluated any more.
    const editor = await aUser(api, 'Editor', 'eve');
    const removal = { stage: 'removal', url: 'https://git.example.org/shop/pull/17' };
    const moved = await api.put(`/api/admin/clean-ups/${FLAG}`, removal, { token: editor.token });
    expect(moved.status).to.equal(200);
    expect((await card(api))?.stage).to.equal('removal');
    await scan(api, { 'src/banner.ts': 'show();\n', 'docs/flags.md': 'There is a banner.\n' });
    expect(await card(api)).to.deep.include({ stage: 'removal', codeReferences: 0 });
    await passDay();
    const gone = { stage: 'gone', movedBy: null, url: removal.url, codeReferences: 0 };
    expect(await card(api)).to.deep.include(gone);

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
      stage: 'archived',
      url: removal.url,
      changeRequestId: (body as { id: number }).id,
    });
    await expectSameOfAgent(sender.url, editor.token, (body as { id: number }).id);
    await sender.stop();
  });

  /** The tools for agents say the same, to the official client of the protocol. */
  async function expectSameOfAgent(url: string, token: string, changeRequestId: number): Promise<void> {
    const agent = await connectByHttp({ url, token });
    try {
      const read = async (tool: string, input: Record<string, unknown> = {}): Promise<unknown> => {
        const { isError, text, data } = await agent.call(tool, input);
        expect(isError, text).to.equal(false);
        return data;
      };
      const lives = (await read('list_verdict_history', { feature: FLAG })) as { verdicts: object[] };
      expect(lives.verdicts.map((life) => (life as { verdict: string }).verdict)).to.include('always_on');
      expect(await read('find_code_references', { featureName: FLAG })).to.deep.equal({
        featureName: FLAG,
        total: 0,
        repositories: [],
      });
      const found = await read('find_change_requests');
      expect(JSON.stringify(found)).to.include(`"id":${changeRequestId}`);
      const events = JSON.stringify(await read('list_feature_events', { toggleName: FLAG }));
      for (const type of ['clean-up-moved', 'feature-archived']) expect(events).to.include(type);
      const feature = await read('get_feature', { projectId: 'default', featureName: FLAG });
      expect(feature).to.deep.include({ name: FLAG, archived: true });
    } finally {
      await agent.close();
    }
  }
});
