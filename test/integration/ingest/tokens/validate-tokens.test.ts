import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { type NewToken, createSecret } from '#base/tokens';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { redisBusOf } from '../../../support/stack/bus/redis-bus.ts';
import { eventually } from '../../../support/eventually.ts';
import { type Answer, type Post, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, FRONTEND_TOKEN, OTHER_CLIENT_TOKEN } from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const UNKNOWN = '*:production.unknown';

const CLIENT = { token: CLIENT_TOKEN, type: 'client', projects: ['*'], environment: 'production' };
const OTHER = { token: OTHER_CLIENT_TOKEN, type: 'client', projects: ['*'], environment: 'development' };
const FRONTEND = { token: FRONTEND_TOKEN, type: 'frontend', projects: ['*'], environment: 'production' };
const ADMIN = { token: ADMIN_TOKEN, type: 'admin', projects: ['*'], environment: '*' };

const VALID: readonly { title: string; tokens: readonly string[]; found: readonly unknown[] }[] = [
  { title: 'no tokens', tokens: [], found: [] },
  { title: 'a client token', tokens: [CLIENT_TOKEN], found: [CLIENT] },
  { title: 'a frontend token', tokens: [FRONTEND_TOKEN], found: [FRONTEND] },
  { title: 'an admin token', tokens: [ADMIN_TOKEN], found: [ADMIN] },
  { title: 'several', tokens: [OTHER_CLIENT_TOKEN, UNKNOWN, CLIENT_TOKEN], found: [OTHER, CLIENT] },
  { title: 'the same twice', tokens: [CLIENT_TOKEN, CLIENT_TOKEN], found: [CLIENT] },
  { title: 'an unknown one', tokens: [UNKNOWN], found: [] },
  { title: 'part of a token', tokens: [CLIENT_TOKEN.slice(0, -1)], found: [] },
  { title: 'a token in another case', tokens: [CLIENT_TOKEN.toUpperCase()], found: [] },
  { title: 'a token after Bearer', tokens: [`Bearer ${CLIENT_TOKEN}`], found: [] },
  { title: 'the hash of a token', tokens: ['a'.repeat(64)], found: [] },
  { title: 'empty text', tokens: [''], found: [] },
  { title: 'text that Postgres cannot store', tokens: ['\u0000', '\ud800'], found: [] },
];

const REJECTED: readonly { title: string; status: number; name: string; request: Partial<Post> }[] = [
  { title: 'GET', status: 405, name: 'MethodNotAllowed', request: { method: 'GET' } },
  { title: 'a large body', status: 413, name: 'ContentTooLarge', request: { body: ' '.repeat(102_401) } },
  { title: 'text', status: 415, name: 'ContentTypeerror', request: { contentType: 'text/plain' } },
  ...[
    { title: 'no JSON', body: 'tokens' },
    { title: 'no tokens', body: '{}' },
    { title: 'tokens that are null', body: '{"tokens":null}' },
    { title: 'tokens that are text', body: JSON.stringify({ tokens: CLIENT_TOKEN }) },
    { title: 'a token that is a number', body: '{"tokens":[1]}' },
    { title: '501 tokens', body: JSON.stringify({ tokens: Array.from({ length: 501 }, String) }) },
  ].map(({ title, body }) => ({ title, status: 400, name: 'ValidationError', request: { body } })),
];

describe('POST /edge/validate', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  function ask(request: Partial<Post>): Promise<Answer> {
    return post(ingest, { path: '/edge/validate', authorization: '', ...request });
  }

  async function validate(tokens: readonly string[]): Promise<unknown> {
    const { status, text } = await ask({ body: JSON.stringify({ tokens }) });
    expect(status).to.equal(200);
    return JSON.parse(text);
  }

  for (const { title, tokens, found } of VALID) {
    it(`returns the valid tokens of ${title}`, async () => {
      expect(await validate(tokens)).to.deep.equal({ tokens: found });
    });
  }

  for (const { title, status, name, request } of REJECTED) {
    it(`rejects ${title} with ${status}`, async () => {
      const answer = await ask({ body: '{"tokens":[]}', ...request });
      expect(answer.status).to.equal(status);
      expect(problemOf(answer).name).to.equal(name);
      expect(answer.text).not.to.include(CLIENT_TOKEN);
    });
  }

  it('does not return tokens that only scan code', async () => {
    const secret = createSecret([], '*');
    const token = { secret, name: 'ci', type: 'scan', environment: '*', projects: [] } as const;
    await createTokens(world.db).create({ ...token, expiresAt: undefined });
    expect(await validate([secret])).to.deep.equal({ tokens: [] });
  });

  it('ignores a token of the caller, valid or not', async () => {
    for (const authorization of [CLIENT_TOKEN, FRONTEND_TOKEN, UNKNOWN]) {
      expect((await ask({ body: '{"tokens":[]}', authorization })).status).to.equal(200);
    }
  });

  it('returns the projects of a token, and nothing else about it', async () => {
    const token = await aStoredToken({ secret: '[]:production.two', projects: ['default', 'payments'] });
    expect(await validate([token.secret])).to.deep.equal({
      tokens: [
        {
          token: token.secret,
          type: 'client',
          projects: ['default', 'payments'],
          environment: 'production',
        },
      ],
    });
  });

  it('leaves out expired and revoked tokens', async () => {
    const expired = await aStoredToken({ secret: '*:production.expired', expiresAt: Date.now() - 1 });
    const revoked = await aStoredToken({ secret: '*:production.revoked' });
    expect(await validate([revoked.secret])).to.have.nested.property('tokens.length', 1);
    await createTokens(world.db).revoke(revoked.id);
    const revocations = redisBusOf(world);
    await revocations.announce(revoked.id);
    revocations.close();
    await eventually(
      () => validate([expired.secret, revoked.secret, CLIENT_TOKEN]),
      (answer) => JSON.stringify(answer) === JSON.stringify({ tokens: [CLIENT] }),
    );
  });

  it('accepts 500 tokens at once', async () => {
    const unknown = Array.from({ length: 499 }, (_item, index) => `*:production.invented-${index}`);
    expect(await validate([...unknown, CLIENT_TOKEN])).to.deep.equal({ tokens: [CLIENT] });
  });

  it('stores nothing', async () => {
    const before = await countMessages(world);
    await validate([CLIENT_TOKEN]);
    expect(await countMessages(world)).to.equal(before);
  });

  async function aStoredToken(
    members: Partial<NewToken> & { secret: string },
  ): Promise<{ id: string; secret: string }> {
    const token = {
      name: 'test',
      type: 'client',
      environment: 'production',
      projects: [],
      expiresAt: undefined,
      ...members,
    } as const;
    const created = await createTokens(world.db).create(token);
    return { id: created?.id ?? 'not created', secret: token.secret };
  }
});
