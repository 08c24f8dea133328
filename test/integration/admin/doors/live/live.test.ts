import { expect } from 'chai';
import type { Service } from '#base/runtime';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { startIngest } from '../../../../../services/ingest/app.ts';
import { aFeature, aUser, sharedCountedAdminWorld, runAdmin } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import { type Event, listen, untilEvent } from '../../../../support/admin-api/live.ts';
import { openRawConnection } from '../../../../support/requests/raw-http.ts';
import { aFreshMetric, bodyOf, post } from '../../../../support/requests/post.ts';
import { runWorker } from '../../../../support/stories/counting.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

describe('the live events of the admin API', () => {
  const world = sharedCountedAdminWorld();

  const openListeners = async (): Promise<number> => {
    const metrics = await (await fetch(`${world.api.url}/internal-backstage/prometheus`)).text();
    return Number(/^flagmeter_admin_live_listeners (\d+)$/m.exec(metrics)?.[1]);
  };
  const nobodyListens = () => eventually(openListeners, (open) => open === 0);

  it('show what was received and counted, per second, and the lag', async () => {
    const listening = await listen(world.api.url);
    expect(listening.status).to.equal(200);
    expect(listening.headers['content-type']).to.match(/^text\/event-stream/);
    expect(listening.headers['cache-control']).to.equal('no-store');
    expect(listening.headers).not.to.have.any.keys('etag', 'content-encoding');
    const first = await untilEvent(listening, 'counts');
    expect(first?.data).to.deep.include({ perSecond: null });
    expect(first?.data['total']).to.include({ received: 0, counted: 0 });

    const ingest = await world.run(startIngest);
    await post(ingest, { body: bodyOf({ metrics: [aFreshMetric({ yes: 3 }), aFreshMetric({ no: 1 })] }) });
    await untilEvent(listening, 'counts', ({ lag }) => Number(lag) > 0);
    await untilEvent(listening, 'counts', ({ lagSeconds }) => Number(lagSeconds) > 0);
    await runWorker(world);
    const counted = await untilEvent(
      listening,
      'counts',
      ({ total }) => (total as { received: number }).received > 0,
    );
    type Figures = Record<'total' | 'perSecond', { received: number }>;
    const { total, perSecond } = (counted?.data ?? {}) as Figures;
    expect(perSecond.received).to.be.within(0.01, 2 * total.received);
    await untilEvent(listening, 'counts', ({ lag, lagSeconds }) => lag === 0 && lagSeconds === 0);
    // A new listener learns the current state at once.
    const second = await listen(world.api.url);
    expect((await untilEvent(second, 'counts'))?.data['total']).to.include({ received: total.received });
    listening.leave();
    second.leave();
    await nobodyListens();
  });

  it('show the steps of change requests, except of drafts, to every role', async () => {
    const { api } = world;
    await aFeature(api, 'f');
    const { token } = await aUser(api, 'Viewer', 'vera');
    const listening = await listen(api.url, token);
    await untilEvent(listening, 'counts');
    const requests = '/api/admin/projects/default/environments/production/change-requests';
    const changes = [{ feature: 'f', action: 'updateEnabled', payload: { enabled: true } }];
    const { body } = await api.post(requests, { changes });
    const { id } = body as { id: number };
    const state = `/api/admin/projects/default/change-requests/${id}/state`;
    expect((await api.put(state, { state: 'In review' })).status).to.equal(200);
    const submitted = await untilEvent(
      listening,
      'change-request',
      ({ type }) => type === 'change-request-sent-to-review',
    );
    expect(submitted?.data).to.include({
      changeRequestId: id,
      project: 'default',
      environment: 'production',
    });
    expect(submitted?.data['createdBy']).to.be.a('string');
    await api.put(state, { state: 'Cancelled' });
    await untilEvent(listening, 'change-request', ({ type }) => type === 'change-request-cancelled');
    const ids = listening.events.flatMap(({ name, data }) =>
      name === 'change-request' ? data['eventId'] : [],
    );
    expect(new Set(ids).size).to.equal(ids.length);
    listening.leave();
    await nobodyListens();
  });

  describe('end at once, while those of others go on,', () => {
    type Ending = {
      readonly title: string;
      /** Ends the permission of the user. Returns when it ended, as an ISO time. */
      readonly end: (user: NewUser) => Promise<string>;
    };
    const ENDINGS: readonly Ending[] = [
      {
        title: 'when the user is deleted',
        end: ({ id }) => deleted(`/api/admin/user-admin/${id}`),
      },
      {
        title: 'when the token is deleted',
        end: ({ id, tokenId }) => deleted(`/api/admin/user-admin/${id}/tokens/${tokenId}`),
      },
      {
        title: 'when the token expires',
        end: ({ expiresAt }) => Promise.resolve(expiresAt),
      },
    ];
    for (const [index, { title, end }] of ENDINGS.entries())
      it(title, async () => {
        const user = await aShortUser(`victor-${index}`, title.includes('expires'));
        const [listening, other] = [await listen(world.api.url, user.token), await listen(world.api.url)];
        await untilEvent(listening, 'counts');
        const endedAt = await end(user);
        await listening.ended;
        // The numbers come every two seconds. The check of every stream comes more often.
        expect(countsAfter(listening.events, endedAt)).to.be.at.most(3);
        await untilEvent(other, 'counts', ({ at }) => String(at) > endedAt);
        other.leave();
        await nobodyListens();
      });

    let elsewhere: Service;
    before(async () => {
      elsewhere = await world.run(startAdmin);
    });

    type NewUser = { id: number; tokenId: string; token: string; expiresAt: string };

    async function aShortUser(username: string, isExpiring: boolean): Promise<NewUser> {
      const { api } = world;
      const { id } = await aUser(api, 'Viewer', username);
      const expiresAt = new Date(Date.now() + (isExpiring ? 5000 : 3_600_000)).toISOString();
      const { body } = await api.post(`/api/admin/user-admin/${id}/tokens`, { description: 'x', expiresAt });
      const { id: tokenId, secret: token } = body as { id: string; secret: string };
      return { id, tokenId, token, expiresAt };
    }

    /** Deletes it in another service, which announces it through Redis. */
    async function deleted(path: string): Promise<string> {
      const headers = { authorization: ADMIN_TOKEN };
      const answer = await fetch(`${elsewhere.url}${path}`, { method: 'DELETE', headers });
      expect(answer.status).to.equal(200);
      return new Date().toISOString();
    }

    function countsAfter(events: readonly Event[], time: string): number {
      return events.filter(({ name, data }) => name === 'counts' && String(data['at']) > time).length;
    }
  });

  it('are refused to callers without a valid token', async () => {
    for (const token of ['', 'nonsense']) {
      const { status, ended } = await listen(world.api.url, token);
      expect(status).to.equal(401);
      await ended;
    }
  });

  it('have room for 20 listeners of one caller; others still listen, and the room comes back', async () => {
    const { api } = world;
    const opened = await Promise.all(Array.from({ length: 30 }, () => listen(api.url)));
    const statuses = opened.map(({ status }) => status);
    expect(statuses.filter((status) => status === 200)).to.have.length(20);
    expect(statuses.filter((status) => status === 429)).to.have.length(10);
    expect(opened.find(({ status }) => status === 429)?.headers['retry-after']).to.equal('15');
    const { token } = await aUser(api, 'Viewer', 'valerie');
    const other = await listen(api.url, token);
    expect(other.status).to.equal(200);
    expect(await openListeners()).to.equal(21);
    for (const listening of [...opened, other]) listening.leave();
    await nobodyListens();
    const again = await listen(api.url);
    expect(again.status).to.equal(200);
    again.leave();
  });

  it('leave no listener behind after HEAD, or when a client leaves before the answer', async () => {
    const { api } = world;
    const headers = { authorization: ADMIN_TOKEN };
    expect((await fetch(`${api.url}/api/admin/live`, { method: 'HEAD', headers })).status).to.equal(200);
    const connection = await openRawConnection(api.url);
    await connection.write(
      `GET /api/admin/live HTTP/1.1\r\nHost: a\r\nAuthorization: ${ADMIN_TOKEN}\r\n\r\n`,
    );
    connection.cut();
    await nobodyListens();
  });

  it('end at once when the service stops', async () => {
    const admin = await world.run(startAdmin);
    const listening = await listen(admin.url);
    await untilEvent(listening, 'counts');
    await admin.stop();
    await listening.ended;
  });

  it('of a service that reaches neither ClickHouse nor Kafka say which part cannot be read, and go on', async () => {
    const nowhere = { CLICKHOUSE_URL: 'http://127.0.0.1:1', KAFKA_BROKERS: '127.0.0.1:1' };
    const admin = await runAdmin(world, nowhere);
    const listening = await listen(admin.url);
    for (const part of ['counts', 'lag', 'verdicts'])
      await untilEvent(listening, 'unavailable', (data) => data['part'] === part);
    const late = await listen(admin.url);
    await untilEvent(late, 'unavailable', ({ part }) => part === 'lag');
    const requests = '/api/admin/projects/default/environments/production/change-requests';
    await aFeature(world.api, 'g');
    const changes = [{ feature: 'g', action: 'archiveFeature' }];
    const { body } = await world.api.post(requests, { changes });
    const state = `/api/admin/projects/default/change-requests/${(body as { id: number }).id}/state`;
    await world.api.put(state, { state: 'In review' });
    await untilEvent(listening, 'change-request', ({ type }) => type === 'change-request-sent-to-review');
    listening.leave();
    late.leave();
  });
});
