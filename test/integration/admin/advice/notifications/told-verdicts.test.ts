import { expect } from 'chai';
import { refreshVerdicts } from '#core/clickhouse';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, openApi } from '../../../../support/admin-api/admin.ts';
import { createHistory, untilHistoryLasts } from '../../../../support/builders/history.ts';
import { eventually } from '../../../../support/eventually.ts';
import {
  type NotifiedWorld,
  createNotifiedWorld,
  opened,
  subscribe,
  untilReceived,
} from '../../../../support/servers/receivers/notified-world.ts';
import { anArrivedReport, storeReports } from '../../../../support/senders/relays.ts';
import { createWorld } from '../../../../support/world.ts';

const HOUR_MS = 3_600_000;

describe('a verdict', () => {
  let world: NotifiedWorld;
  let api: Api;
  before(async () => {
    world = await createNotifiedWorld(createWorld);
    await world.db.query(
      `insert into features (name, project, owner) values ('always-on', 'default', 'team-basket')`,
    );
    await untilHistoryLasts();
    const history = createHistory();
    history.exists('always-on');
    history.seen('always-on', { first: 100 * 24, last: 1 });
    history.evaluated({ feature: 'always-on', daysAgo: 2, yes: 2000 });
    await history.write(world);
    await refreshVerdicts(world.clickhouse);
    await storeReports(world, anArrivedReport('edge-1', Date.now() - HOUR_MS, { appName: 'edge' }));
    const { url } = await world.run(startAdmin);
    api = await openApi(url);
  });

  it('is told once, with its evidence, and can be looked up and silenced', async () => {
    const receiver = await world.startReceiver();
    const subscribed = await subscribe(api, receiver.url, {
      causes: ['verdict-appeared', 'verdict-ended'],
      verdicts: ['always_on', 'relay_silent'],
    });
    const messages = (await untilReceived(receiver, 2)).map((one) => opened(one, subscribed));
    const flag = messages.find(({ data }) => data['verdict'] === 'always_on');
    expect(flag?.type).to.equal('verdict.appeared');
    expect(flag?.data).to.deep.include({
      featureName: 'always-on',
      environment: 'production',
      project: 'default',
      owner: 'team-basket',
      evaluations: 2000,
      link: 'https://flags.example.org/#/features/always-on',
    });
    expect(flag?.data.sentence).to.match(
      /^Always on: always-on in production\. Each of its 2000 evaluations/,
    );
    const relay = messages.find(({ data }) => data['verdict'] === 'relay_silent');
    expect(relay?.data.sentence).to.match(/^Relay silent: edge.* in production\. It reported last at/);

    const recorded = await eventually(
      async () =>
        (await api.get('/api/admin/verdicts?verdict=always_on')).body as { verdicts: { id: number }[] },
      ({ verdicts }) => verdicts.length === 1,
    );
    const path = `/api/admin/verdicts/${recorded.verdicts[0]?.id ?? 0}/acknowledgement`;
    expect((await api.put(path, { reason: 'The campaign needs it.' })).status).to.equal(200);
    expect(receiver.received).to.have.length(2);
  });
});
