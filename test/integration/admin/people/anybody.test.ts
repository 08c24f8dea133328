import { expect } from 'chai';
import { startAdmin } from '../../../../services/admin/app.ts';
import { pauseAbandoned } from '../../../../services/admin/advice/notifications/store/pause-abandoned.ts';
import { type Config, readConfig } from '#base/runtime';
import { findStanding } from '#base/auth';
import { ANYBODY } from '#base/tokens';
import { type Api, aFeature, openApi } from '../../../support/admin-api/admin.ts';
import { ENABLE, IN_PRODUCTION, REQUESTS, stepAsRead } from '../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../support/eventually.ts';
import { sharedWorldWithoutTopics } from '../../../support/uncounted-world.ts';

type Shown = {
  readonly state: string;
  readonly schedule?: { readonly status: string; readonly reason?: string };
};

describe('what anybody has set up while AUTH_TYPE was none', () => {
  const world = sharedWorldWithoutTopics();

  async function during(settings: Record<string, string>, work: (api: Api) => Promise<void>): Promise<void> {
    const config: Config = readConfig({ ...world.env, ...settings });
    const service = await startAdmin(config, world.log);
    try {
      await work(await openApi(service.url));
    } finally {
      await service.stop();
    }
  }

  it('acts as long as anybody is an Admin, and not any more afterwards', async () => {
    let path = '';
    await during({ AUTH_TYPE: 'none' }, async (api) => {
      await aFeature(api, 'f');
      const { body } = await api.post(IN_PRODUCTION, { changes: [ENABLE] });
      path = `${REQUESTS}/${(body as { id: number }).id}`;
      const scheduledAt = '2099-01-01T00:00:00Z';
      for (const change of [
        { state: 'In review' },
        { state: 'Approved' },
        { state: 'Scheduled', scheduledAt },
      ])
        expect((await stepAsRead(api, { path, change, token: 'nonsense' })).status).to.equal(200);
      expect(await findStanding(world.db, { ...ANYBODY, personalToken: undefined })).to.have.nested.property(
        'actor.role',
        'Admin',
      );
    });
    await world.db.query(`
      update change_request_schedule set scheduled_at = now();
      insert into notification_subscriptions (
        name, channel, host, causes, created_by, edited_by
      ) values ('left', 'webhook', 'hooks.example.org', '{event}', 'unknown', -1)`);
    await during({}, async (api) => {
      const request = await eventually(
        async () => (await api.get(path)).body as Shown,
        ({ schedule }) => schedule !== undefined && schedule.status !== 'pending',
      );
      expect(request.state).to.equal('Scheduled');
      expect(request.schedule?.reason).to.match(/lost the permission|no longer counts|needs/);
      await pauseAbandoned(world.db);
      const { rows } = await world.db.query('select from notification_subscriptions where enabled');
      expect(rows).to.have.length(0);
      expect(await findStanding(world.db, { ...ANYBODY, personalToken: undefined })).to.have.nested.property(
        'actor.role',
        'None',
      );
    });
    await during({ AUTH_TYPE: 'none' }, () =>
      eventually(
        () => findStanding(world.db, { ...ANYBODY, personalToken: undefined }),
        (standing) => 'actor' in standing && standing.actor.role === 'Admin',
      ).then(() => undefined),
    );
  });
});
