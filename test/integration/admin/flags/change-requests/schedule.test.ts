import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aFeature, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { IN_PRODUCTION, stepAsRead } from '../../../../support/admin-api/change-requests.ts';
import { eventually } from '../../../../support/eventually.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';
import {} from '../../../../support/world.ts';

const REQUESTS = 6;

describe('scheduled change requests', () => {
  const world = sharedWorldWithoutTopics();

  async function schedule(api: Api, name: string): Promise<void> {
    await aFeature(api, name);
    const { token } = await aUser(api, 'Admin', `author of ${name}`);
    const changes = [{ feature: name, action: 'archiveFeature' }];
    const { body } = await api.post(IN_PRODUCTION, { changes }, { token });
    const path = `/api/admin/projects/default/change-requests/${(body as { id: number }).id}`;
    for (const state of ['In review', 'Approved']) await stepAsRead(api, { path, change: { state }, token });
    const change = { state: 'Scheduled', scheduledAt: '2099-01-01T00:00:00Z' };
    const { status } = await stepAsRead(api, { path, change, token });
    expect(status).to.equal(200);
  }

  it('that become due while no service runs are applied once at the next start of three services', async () => {
    const first = await world.run(startAdmin);
    const api = await openApi(first.url);
    for (let index = 0; index < REQUESTS; index += 1) await schedule(api, `timed-${index}`);
    await first.stop();
    await world.db.query('update change_request_schedule set scheduled_at = now()');
    await Promise.all([world.run(startAdmin), world.run(startAdmin), world.run(startAdmin)]);
    const applied = async () => {
      const { rows } = await world.db.query<{ count: number }>(
        `select count(*)::int as count
         from change_requests
         where state = 'Applied'`,
      );
      return rows[0]?.count ?? 0;
    };
    await eventually(applied, (count) => count === REQUESTS);
    const { rows } = await world.db.query<{ type: string; count: number }>(
      `select type, count(*)::int as count
       from events
       where type in ('feature-archived', 'change-request-applied', 'change-request-scheduled-application-success')
       group by type
       order by type`,
    );
    expect(rows).to.deep.equal([
      { type: 'change-request-applied', count: REQUESTS },
      { type: 'change-request-scheduled-application-success', count: REQUESTS },
      { type: 'feature-archived', count: REQUESTS },
    ]);
  });
});
