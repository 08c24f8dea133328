import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

type Token = {
  readonly id: string;
  readonly createdAt: string;
  readonly expiresAt: string | null;
  readonly secret: string;
  readonly successorOf: string | null;
};
type Rotated = Token & { readonly predecessor: Token };

const PATH = '/api/admin/api-tokens';
const HOUR_MS = 3_600_000;

describe('the rotation of a token', () => {
  const world = sharedAdminWorld({ MAX_DAYS_OF_FRONTEND_TOKENS: '90' });

  it('makes a token with the same rights, and both are accepted until the old one ends', async () => {
    const { url } = await world.run(startIngest);
    const old = await make({ notEnabledReasons: ['off'], rateLimit: 600, projects: ['default'] });
    const { status, body } = await world.api.post(`${PATH}/${old.id}/rotate`, { overlapHours: 24 });
    const { predecessor, secret, ...successor } = body as Rotated;
    expect(status).to.equal(201);
    const { id, createdAt, secret: oldSecret, ...rights } = old;
    expect(successor).to.deep.include({ ...rights, successorOf: id });
    expect(predecessor).to.deep.include({ id, createdAt });
    expect(Date.parse(predecessor.expiresAt ?? '') - Date.parse(successor.createdAt)).to.be.within(
      23 * HOUR_MS,
      25 * HOUR_MS,
    );
    for (const token of [oldSecret, secret]) expect(await send(url, token)).to.equal(202);
    await world.db.query(`update api_tokens set expires_at = now() where id = $1`, [id]);
    const other = await world.run(startIngest);
    expect(await send(other.url, oldSecret)).to.equal(401);
    expect(await send(other.url, secret)).to.equal(202);
  });

  it('is refused while the token has a valid successor, however many try', async () => {
    const old = await make();
    const tries = await Promise.all(Array.from({ length: 5 }, () => rotate(old.id)));
    expect(tries.map(({ status }) => status)).to.have.members([201, 409, 409, 409, 409]);
    const successor = tries.find(({ status }) => status === 201)?.body as Rotated;
    const refused = await rotate(old.id);
    expect(refused.body).to.include({ name: 'TokenReplaced' });
    expect((refused.body as { message: string }).message).to.include(successor.id);

    await world.api.delete(`${PATH}/${successor.id}`);
    const again = await rotate(old.id);
    expect(again.status).to.equal(201);
    expect((again.body as Rotated).expiresAt).to.equal(null);
    expect((again.body as Rotated).predecessor.expiresAt).to.equal(successor.predecessor.expiresAt);
  });

  it('lets the new token last as long as the old one was to last, but no longer than the settings allow', async () => {
    const old = await make({ expiresAt: IN_A_MONTH });
    const { createdAt, expiresAt, predecessor } = (await rotate(old.id)).body as Rotated;
    const lifeMs = (token: Pick<Token, 'createdAt' | 'expiresAt'>) =>
      Date.parse(token.expiresAt ?? '') - Date.parse(token.createdAt);
    expect(lifeMs({ createdAt, expiresAt })).to.be.closeTo(lifeMs(old), HOUR_MS);
    expect(Date.parse(predecessor.expiresAt ?? '')).to.be.lessThan(Date.parse(IN_A_MONTH));

    const endless = await make({ type: 'frontend', expiresAt: IN_A_MONTH });
    await world.db.query('update api_tokens set expires_at = null where id = $1', [endless.id]);
    const limited = (await rotate(endless.id)).body as Rotated;
    expect(lifeMs(limited) / (24 * HOUR_MS)).to.be.within(90, 91);
    const further = await rotate(limited.id, { expiresAt: '2099-01-01T00:00:00Z' });
    expect(further.status).to.equal(400);
  });

  it('needs a token that is neither unknown nor revoked nor expired', async () => {
    const [expired, revoked] = [await make(), await make()];
    await world.db.query('update api_tokens set expires_at = now() where id = $1', [expired.id]);
    await world.api.delete(`${PATH}/${revoked.id}`);
    expect((await rotate(expired.id)).status).to.equal(400);
    expect((await rotate(revoked.id)).status).to.equal(404);
    expect((await rotate('6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11')).status).to.equal(404);
    expect((await rotate(revoked.id, { overlapHours: 0 })).status).to.equal(400);
  });

  async function make(members: object = {}): Promise<Token> {
    const token = { tokenName: 'edge', type: 'client', environment: 'production', ...members };
    const { status, body } = await world.api.post(PATH, token);
    expect(status).to.equal(201);
    return body as Token;
  }

  const rotate = (id: string, terms: object = {}) => world.api.post(`${PATH}/${id}/rotate`, terms);
});

async function send(url: string, authorization: string): Promise<number> {
  const response = await fetch(`${url}/edge/metrics`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json' },
    body: '{"applications":[],"metrics":[]}',
  });
  return response.status;
}
