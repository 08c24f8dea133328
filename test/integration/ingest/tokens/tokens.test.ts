import { expect } from 'chai';
import { type Bus, createTokens } from '#base/auth';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { aUser, openApi } from '../../../support/admin-api/admin.ts';
import { aToken } from '../../../support/builders/builders.ts';
import { redisBusOf } from '../../../support/stack/bus/redis-bus.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Answer, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, OTHER_CLIENT_TOKEN } from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const HOUR_MS = 3_600_000;

const ACCEPTED = [
  { title: 'a client token', authorization: CLIENT_TOKEN },
  { title: 'a client token of another environment', authorization: OTHER_CLIENT_TOKEN },
  { title: 'an admin token', authorization: ADMIN_TOKEN },
  { title: 'a token behind Bearer', authorization: `Bearer ${CLIENT_TOKEN}` },
  { title: 'a token behind bearer', authorization: `bearer ${CLIENT_TOKEN}` },
  { title: 'a token behind BEARER', authorization: `BEARER ${ADMIN_TOKEN}` },
] as const;

const REJECTED = [
  { title: 'a frontend token', status: 403, authorization: FRONTEND_TOKEN },
  { title: 'no token', status: 401, authorization: '' },
  { title: 'Bearer alone', status: 401, authorization: 'Bearer' },
  { title: 'an unknown token', status: 401, authorization: '*:production.unknown' },
  { title: 'a personal token', status: 401, authorization: `user:${'a'.repeat(56)}` },
  { title: 'a token in another case', status: 401, authorization: CLIENT_TOKEN.toUpperCase() },
  { title: 'a part of a token', status: 401, authorization: CLIENT_TOKEN.slice(0, -1) },
  { title: 'a token with another scheme', status: 401, authorization: `Basic ${CLIENT_TOKEN}` },
  { title: 'a token of 8,000 characters', status: 401, authorization: `*:*.${'a'.repeat(8000)}` },
] as const;

describe('the tokens of ingest', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);
  let revocations: Bus;
  before(() => {
    revocations = redisBusOf(world);
  });
  after(() => {
    revocations.close();
  });

  for (const { title, authorization } of ACCEPTED) {
    it(`accepts ${title}`, async () => {
      expect((await post(ingest, { authorization })).status).to.equal(202);
    });
  }

  for (const { title, status, authorization } of REJECTED) {
    it(`rejects ${title} with ${status}`, async () => {
      expect((await post(ingest, { authorization })).status).to.equal(status);
    });
  }

  it('rejects the personal token of a user with 403', async () => {
    const api = await openApi((await world.run(startAdmin)).url);
    const { token } = await aUser(api, 'Admin', 'somebody');
    const answer = await post(ingest, { authorization: token });
    expect(answer.status).to.equal(403);
    expect(problemOf(answer).name).to.equal('NoAccessError');
  });

  it('accepts a secret of the second form', async () => {
    const token = aToken({ secret: '[]:production.v2_c2VsZWN0b3I_c2VjcmV0LXNlY3JldA' });
    await createTokens(world.db).create(token);
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(202);
  });

  it('requires a token even if the admin API requires none', async () => {
    const open = await world.run((config, log) =>
      startIngest({ ...config, auth: { ...config.auth, type: 'none' } }, log),
    );
    expect((await post(open, { authorization: '' })).status).to.equal(401);
    expect((await post(open, { authorization: '*:production.unknown' })).status).to.equal(401);
    expect((await post(open)).status).to.equal(202);
  });

  it('rejects an expired token with 401', async () => {
    const token = aToken({ secret: '*:production.expired', expiresAt: Date.now() - 1 });
    await createTokens(world.db).create(token);
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(401);
  });

  it('accepts a token that will expire', async () => {
    const token = aToken({ secret: '*:production.expiring', expiresAt: Date.now() + HOUR_MS });
    await createTokens(world.db).create(token);
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(202);
  });

  it('rejects a known token when it expires', async () => {
    const token = aToken({ secret: '*:production.expires-soon', expiresAt: Date.now() + 8000 });
    await createTokens(world.db).create(token);
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(202);
    await eventually(() => post(ingest, { authorization: token.secret }), isUnauthenticated);
  });

  it('rejects a token with 401 if it was revoked before its first use', async () => {
    const token = aToken({ secret: '*:production.revoked-early' });
    const id = (await createTokens(world.db).create(token))?.id;
    await createTokens(world.db).revoke(String(id));
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(401);
  });

  it('rejects a known token as soon as its revocation is announced', async () => {
    const token = aToken({ secret: '*:production.revoked-late' });
    const id = (await createTokens(world.db).create(token))?.id;
    expect((await post(ingest, { authorization: token.secret })).status).to.equal(202);
    await createTokens(world.db).revoke(String(id));
    await revocations.announce(String(id));
    // Without the announcement it would stay valid for a minute.
    await eventually(() => post(ingest, { authorization: token.secret }), isUnauthenticated);
  });

  it('still accepts other tokens after a revocation', async () => {
    await revocations.announce('00000000-0000-4000-8000-000000000000');
    expect((await post(ingest)).status).to.equal(202);
  });
});

function isUnauthenticated({ status }: Answer): boolean {
  return status === 401;
}
