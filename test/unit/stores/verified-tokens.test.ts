import { expect } from 'chai';
import { type ApiToken, hashSecret } from '#domain';
import { createLog } from '#runtime';
import { type FindTokens, type VerifiedTokens, createVerifiedTokens } from '#stores';

const SECRET = '*:production.secret';
const TOKEN: ApiToken = {
  id: 'one',
  name: 'relay',
  type: 'client',
  environment: 'production',
  projects: [],
  expiresAt: undefined,
  rateLimit: undefined,
};
const VALID = new Map([[hashSecret(SECRET), TOKEN]]);
const REVOKED = new Map<string, ApiToken>();

type Answer = ReadonlyMap<string, ApiToken>;
type Query = { readonly answer: (tokens: Answer) => void; readonly fail: (error: Error) => void };

describe('a token that is looked up while it is revoked', () => {
  let begun: Query[];
  let waiting: ((query: Query) => void)[];
  let listener: { onRevoked(tokenId: string): void; onGap(): void };
  let verified: VerifiedTokens;

  beforeEach(() => {
    begun = [];
    waiting = [];
    const findTokens: FindTokens = () =>
      new Promise((resolve, reject) => {
        const query = { answer: resolve, fail: reject };
        const next = waiting.shift();
        if (next === undefined) begun.push(query);
        else next(query);
      });
    const revocations = { subscribe: (subscriber: typeof listener) => (listener = subscriber) };
    verified = createVerifiedTokens({ findTokens, revocations, log: createLog('test', 'fatal') });
  });

  /** Resolves when the next query begins, whose answer the test gives. */
  function nextQuery(): Promise<Query> {
    const query = begun.shift();
    return query === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(query);
  }

  it('is refused, because the look-up is repeated by a query that begins after the revocation', async () => {
    const verdict = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await verdict).to.equal('unknown');
  });

  it('is refused to a caller who asks after the revocation and before the answer of the earlier query', async () => {
    const early = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    const late = verified.verify(SECRET);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await Promise.all([early, late])).to.deep.equal(['unknown', 'unknown']);
  });

  it('is refused to a caller who asks after a gap in the announcements', async () => {
    const early = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onGap();
    const late = verified.verify(SECRET);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await early).to.have.property('token');
    expect(await late).to.equal('unknown');
    expect(await verified.verify(SECRET)).to.equal('unknown');
  });

  it('is refused when a known token is revoked while it is looked up again', async () => {
    const first = verified.verify(SECRET);
    (await nextQuery()).answer(VALID);
    await first;
    listener.onGap();
    const again = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await again).to.equal('unknown');
  });

  it('is not good for a caller who comes after the revocation because an earlier query failed', async () => {
    const early = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    const late = verified.verify(SECRET);
    stale.fail(new Error('away'));
    (await nextQuery()).answer(REVOKED);
    expect(await early).to.equal('unavailable');
    expect(await late).to.equal('unknown');
  });

  it('is good after one query, however many other tokens are revoked meanwhile', async () => {
    const verdict = verified.verify(SECRET);
    const query = await nextQuery();
    for (let other = 0; other < 100; other += 1) listener.onRevoked(`other-${other}`);
    query.answer(VALID);
    expect(await verdict).to.have.property('token');
  });

  it('is looked up four times at most, and never trusted meanwhile', async () => {
    const verdict = verified.verify(SECRET);
    for (let tries = 0; tries < 4; tries += 1) {
      const stale = await nextQuery();
      listener.onRevoked(TOKEN.id);
      stale.answer(VALID);
    }
    expect(await verdict).to.equal('unavailable');
    const next = verified.verify(SECRET);
    (await nextQuery()).answer(REVOKED);
    expect(await next).to.equal('unknown');
  });

  it('is asked again when more announcements came meanwhile than are remembered', async () => {
    const verdict = verified.verify(SECRET);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    for (let other = 0; other < 30_000; other += 1) listener.onRevoked(`other-${other}`);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await verdict).to.equal('unknown');
  });

  it('costs one query for all who ask while nothing is revoked', async () => {
    const verdicts = [verified.verify(SECRET), verified.verify(SECRET), verified.verify(SECRET)];
    (await nextQuery()).answer(VALID);
    for (const verdict of await Promise.all(verdicts)) expect(verdict).to.have.property('token');
    expect(verified.waiting()).to.equal(0);
  });
});
