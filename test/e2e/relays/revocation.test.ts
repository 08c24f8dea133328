import { expect } from 'chai';
import { startAdmin } from '../../../services/admin/app.ts';
import { startIngest } from '../../../services/ingest/app.ts';
import { startStandalone } from '../../../services/standalone/app.ts';
import { openApi } from '../../support/admin-api/admin.ts';
import { eventually } from '../../support/eventually.ts';
import { post } from '../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';

const ROUNDS = 3;

describe('a revoked token', () => {
  const world = sharedUncountedWorld();

  it('is rejected with 401 soon, by every service', async () => {
    const [admin, first, second] = [
      await world.run(startAdmin),
      await world.run(startIngest),
      await world.run(startIngest),
    ];
    const api = await openApi(admin.url);
    const endpoints = [
      { name: 'admin', ask: statusAt(admin.url, '/api/admin/strategies', 'GET'), accepted: 200 },
      { name: 'first ingest', ask: statusAt(first.url, '/edge/metrics', 'POST'), accepted: 202 },
      { name: 'second ingest', ask: statusAt(second.url, '/edge/metrics', 'POST'), accepted: 202 },
    ];
    const delays: number[] = [];
    for (let round = 0; round < ROUNDS; round += 1) {
      const created = await api.post('/api/admin/api-tokens', { tokenName: 'passing', type: 'admin' });
      const { id, secret } = created.body as { id: string; secret: string };
      for (const { name, ask, accepted } of endpoints) expect(await ask(secret), name).to.equal(accepted);
      expect((await api.delete(`/api/admin/api-tokens/${id}`)).status).to.equal(200);
      const revokedAt = Date.now();
      await Promise.all(
        endpoints.map(({ ask }) =>
          eventually(
            () => ask(secret),
            (status) => status === 401,
          ),
        ),
      );
      delays.push(Date.now() - revokedAt);
    }
    // The fastest round, because the machine may be busy during one of them. Without Redis it would take a minute.
    expect(Math.min(...delays)).to.be.lessThan(10_000);
  });

  it('is rejected at once by the process that revokes it, even while Redis is down', async () => {
    const { url } = await world.run((config, log) =>
      startStandalone({ ...config, redis: { url: 'redis://127.0.0.1:1', tls: undefined } }, log),
    );
    const api = await openApi(url);
    const created = await api.post('/api/admin/api-tokens', { tokenName: 'passing', type: 'admin' });
    const { id, secret } = created.body as { id: string; secret: string };
    const ask = statusAt(url, '/edge/metrics', 'POST');
    expect(await ask(secret)).to.equal(202);
    expect((await api.delete(`/api/admin/api-tokens/${id}`)).status).to.equal(200);
    expect(await ask(secret)).to.equal(401);
  });
});

function statusAt(url: string, path: string, method: string) {
  return async (authorization: string): Promise<number> =>
    (await post({ url }, { path, method, authorization })).status;
}
