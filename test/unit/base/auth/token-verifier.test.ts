import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect } from 'chai';
import {
  type FindTokens,
  type RevocationListener,
  type TokenVerifier,
  createTokenVerifier,
} from '#base/auth';
import { createLog } from '#base/runtime';
import { type ApiToken, hashSecret } from '#base/tokens';

const SECRET = '*:production.secret';
const ADDRESS = '192.0.2.1';
const OTHER_ADDRESS = '192.0.2.2';
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

describe('a token that is looked up', () => {
  let begun: Query[];
  let waiting: ((query: Query) => void)[];
  let listener: RevocationListener;
  let verifier: TokenVerifier;

  beforeEach(() => {
    begun = [];
    waiting = [];
    verifier = createTokenVerifier({ ...port(), log: createLog('test', 'fatal') });
  });

  /** Tokens in a database and announcements that the test controls. */
  function port() {
    const findTokens: FindTokens = () =>
      new Promise((resolve, reject) => {
        const query = { answer: resolve, fail: reject };
        const next = waiting.shift();
        if (next === undefined) begun.push(query);
        else next(query);
      });
    const subscribe = (subscriber: RevocationListener): void => {
      listener = subscriber;
    };
    return { findTokens, revocations: { subscribe } };
  }

  /** Resolves when the next query begins. The test supplies its answer. */
  function nextQuery(): Promise<Query> {
    const query = begun.shift();
    return query === undefined ? new Promise((resolve) => waiting.push(resolve)) : Promise.resolve(query);
  }

  it('is rejected when it is revoked meanwhile, because the look-up is repeated by a query that begins after the revocation', async () => {
    const result = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await result).to.equal('unknown');
  });

  it('is rejected for a caller who asks after the revocation and before the answer of the earlier query', async () => {
    const early = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    const late = verifier.verify(SECRET, ADDRESS);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await Promise.all([early, late])).to.deep.equal(['unknown', 'unknown']);
  });

  it('is rejected for a caller who asks after a gap in the announcements', async () => {
    const early = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onGap();
    const late = verifier.verify(SECRET, ADDRESS);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await early).to.have.property('token');
    expect(await late).to.equal('unknown');
    expect(await verifier.verify(SECRET, ADDRESS)).to.equal('unknown');
  });

  it('is rejected when a known token is revoked while it is looked up again', async () => {
    const first = verifier.verify(SECRET, ADDRESS);
    (await nextQuery()).answer(VALID);
    await first;
    listener.onGap();
    const again = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await again).to.equal('unknown');
  });

  it('is rejected with each form of its header when it is revoked after several requests', async () => {
    const headers = [SECRET, `Bearer ${SECRET}`, SECRET, `Bearer ${SECRET}`];
    const first = verifier.verify(SECRET, ADDRESS);
    (await nextQuery()).answer(VALID);
    await first;
    for (const header of headers)
      expect(await verifier.verify(header, ADDRESS)).to.deep.include({ token: TOKEN });
    listener.onRevoked(TOKEN.id);
    const late = verifier.verify(SECRET, ADDRESS);
    (await nextQuery()).answer(REVOKED);

    expect(await late).to.equal('unknown');
    for (const header of headers) expect(await verifier.verify(header, ADDRESS)).to.equal('unknown');
  });

  it('is not valid for a caller who comes after the revocation if an earlier query failed', async () => {
    const early = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    const late = verifier.verify(SECRET, ADDRESS);
    stale.fail(new Error('away'));
    (await nextQuery()).answer(REVOKED);
    expect(await early).to.equal('unavailable');
    expect(await late).to.equal('unknown');
  });

  it('is valid after one query, however many other tokens are revoked meanwhile', async () => {
    const result = verifier.verify(SECRET, ADDRESS);
    const query = await nextQuery();
    for (let other = 0; other < 100; other += 1) listener.onRevoked(`other-${other}`);
    query.answer(VALID);
    expect(await result).to.have.property('token');
  });

  it('is looked up at most four times, and is invalid meanwhile', async () => {
    const result = verifier.verify(SECRET, ADDRESS);
    for (let tries = 0; tries < 4; tries += 1) {
      const stale = await nextQuery();
      listener.onRevoked(TOKEN.id);
      stale.answer(VALID);
    }
    expect(await result).to.equal('unavailable');
    const next = verifier.verify(SECRET, ADDRESS);
    (await nextQuery()).answer(REVOKED);
    expect(await next).to.equal('unknown');
  });

  it('is looked up again if more announcements came meanwhile than are remembered', async () => {
    const result = verifier.verify(SECRET, ADDRESS);
    const stale = await nextQuery();
    listener.onRevoked(TOKEN.id);
    for (let other = 0; other < 30_000; other += 1) listener.onRevoked(`other-${other}`);
    stale.answer(VALID);
    (await nextQuery()).answer(REVOKED);
    expect(await result).to.equal('unknown');
  });

  it('waits behind at most 500 invented tokens from another address', async () => {
    const first = verifier.verify('*:*.invented', OTHER_ADDRESS);
    const ofFirst = await nextQuery();
    const invented = Array.from({ length: 3000 }, (_, at) =>
      verifier.verify(`*:*.invented-${at}`, OTHER_ADDRESS),
    );
    const result = verifier.verify(SECRET, ADDRESS);
    expect(verifier.waiting()).to.equal(1 + 500 + 1);
    ofFirst.answer(VALID);
    for (let queries = 0; queries < 2; queries += 1) (await nextQuery()).answer(VALID);
    expect(await result).to.have.property('token');
    expect(await first).to.equal('unknown');
    const results = await Promise.all(invented);
    expect(results.filter((each) => each === 'unavailable')).to.have.length(2500);
  });

  it('costs one query for all callers while nothing is revoked', async () => {
    const results = [
      verifier.verify(SECRET, ADDRESS),
      verifier.verify(SECRET, ADDRESS),
      verifier.verify(SECRET, ADDRESS),
    ];
    (await nextQuery()).answer(VALID);
    for (const result of await Promise.all(results)) expect(result).to.have.property('token');
    expect(verifier.waiting()).to.equal(0);
  });

  describe('again after a while', () => {
    beforeEach(async () => {
      const options = { ...port(), log: createLog('test', 'fatal') };
      verifier = createTokenVerifier({ ...options, freshMs: 0 });
      listener.onGap(); // connected
      const first = verifier.verify(SECRET, ADDRESS);
      (await nextQuery()).answer(VALID);
      await first;
    });

    /** Postgres is frozen from now on: the returned query never ends by itself. */
    async function freeze(): Promise<Query> {
      const [verification, query] = await Promise.all([verifier.verify(SECRET, ADDRESS), nextQuery()]);
      expect(verification).to.deep.include({ token: TOKEN });
      return query;
    }

    it('is rejected by the answer of Postgres if that comes soon', async () => {
      const result = verifier.verify(SECRET, ADDRESS);
      (await nextQuery()).answer(REVOKED);
      expect(await result).to.equal('unknown');
    });

    it('is valid before Postgres answers, if it does not answer soon, and then rejected by the late answer', async () => {
      const query = await freeze();
      query.answer(REVOKED);
      await nextTurn();
      expect(await verifier.verify(SECRET, ADDRESS)).to.equal('unknown');
    });

    it('is valid for all callers while one query is on its way', async () => {
      await freeze();
      for (let caller = 0; caller < 100; caller += 1)
        expect(await verifier.verify(SECRET, ADDRESS)).to.deep.include({ token: TOKEN });
      expect([begun.length, verifier.waiting()]).to.deep.equal([0, 1]);
    });

    it('is refused at once after its revocation, also while Postgres does not answer', async () => {
      const query = await freeze();
      listener.onRevoked(TOKEN.id);
      const result = verifier.verify(SECRET, ADDRESS);
      query.answer(VALID); // read before the revocation
      (await nextQuery()).fail(new Error('frozen'));
      expect(await result).to.equal('unavailable');
    });

    it('waits for Postgres while Redis is away, because its revocation may be missed', async () => {
      const query = await freeze();
      listener.onLost();
      const result = verifier.verify(SECRET, ADDRESS);
      query.answer(REVOKED);
      expect(await result).to.equal('unknown');
    });

    it('waits for Postgres after Redis was away, because its revocation may have been missed', async () => {
      const query = await freeze();
      listener.onLost();
      listener.onGap();
      const result = verifier.verify(SECRET, ADDRESS);
      query.answer(VALID); // may have been read before the revocation
      (await nextQuery()).answer(REVOKED);
      expect(await result).to.equal('unknown');
    });
  });
});
