import { expect } from 'chai';
import {
  type FindTokens,
  type RevocationListener,
  type TokenVerifier,
  createTokens,
  createTokenVerifier,
} from '#base/auth';
import { hashSecret } from '#base/tokens';
import { aToken } from '../../../support/builders/builders.ts';
import { eventually } from '../../../support/eventually.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN, OTHER_CLIENT_TOKEN } from '../../../support/world.ts';

const FLOOD = 5000;
const ADDRESS = '192.0.2.1';

describe('the token verifier', () => {
  const world = sharedUncountedWorld();
  /** The hashes of each query that reached Postgres. */
  let queries: string[][];
  let listener: RevocationListener;
  let isAway: boolean;
  let verifier: TokenVerifier;

  beforeEach(() => {
    queries = [];
    isAway = false;
    const tokens = createTokens(world.db);
    const findTokens: FindTokens = (hashes) => {
      queries.push([...hashes]);
      return isAway ? Promise.reject(new Error('away')) : tokens.find(hashes);
    };
    const revocations = { subscribe: (subscriber: typeof listener) => (listener = subscriber) };
    verifier = createTokenVerifier({ findTokens, revocations, log: world.log });
  });

  it('asks Postgres once for a token, then never', async () => {
    for (let i = 0; i < 100; i += 1)
      expect(await verifier.verify(CLIENT_TOKEN, ADDRESS)).to.have.property('token');
    expect(queries).to.deep.equal([[hashSecret(CLIENT_TOKEN)]]);
  });

  it('asks once for an unknown token that is tried repeatedly', async () => {
    for (let i = 0; i < 100; i += 1)
      expect(await verifier.verify('*:*.unknown', ADDRESS)).to.equal('unknown');
    expect(queries).to.have.length(1);
  });

  it('sends few queries to Postgres under a flood of 5,000 unknown tokens, and judges none without a query', async () => {
    const results = await flood();
    const asked = queries.flat().length;
    expect(queries.length).to.be.at.most(Math.ceil(asked / 500) + 1);
    expect(results.filter((result) => result === 'unknown')).to.have.length(asked);
    expect(results.filter((result) => result === 'unavailable')).to.have.length(FLOOD - asked);
  });

  it('reports how many tokens wait to be looked up', async () => {
    const results = flood();
    // One of them is already being looked up.
    expect(verifier.waiting()).to.equal(2001);
    await results;
    expect(verifier.waiting()).to.equal(0);
  });

  it('verifies a new token as soon as a flood ends, and a known one during the flood', async () => {
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    listener.onGap();
    const flooded = flood();
    expect(await verifier.verify(CLIENT_TOKEN, ADDRESS)).to.have.property('token');
    const result = await eventually(
      () => verifier.verify(OTHER_CLIENT_TOKEN, ADDRESS),
      (found) => found !== 'unavailable',
    );
    expect(result).to.have.property('token');
    await flooded;
  });

  it('asks once more after a gap in the announcements', async () => {
    const secret = await createToken();
    await verifier.verify(secret, ADDRESS);
    await createTokens(world.db).revoke(await idOf(secret));
    expect(await verifier.verify(secret, ADDRESS)).to.have.property('token');
    listener.onGap();
    expect(await verifier.verify(secret, ADDRESS)).to.equal('unknown');
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    expect(queries).to.have.length(3);
  });

  it('asks again if a gap came during a look-up', async () => {
    const first = verifier.verify(CLIENT_TOKEN, ADDRESS);
    listener.onGap();
    await first;
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    expect(queries).to.have.length(2);
  });

  it('accepts known tokens through any number of gaps while Postgres is down', async () => {
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    isAway = true;
    for (let i = 0; i < 15; i += 1) listener.onGap();
    expect(await verifier.verify(CLIENT_TOKEN, ADDRESS)).to.have.property('token');
    expect(await verifier.verify('*:*.other', ADDRESS)).to.equal('unavailable');
  });

  it('rejects a token from the moment its revocation is announced', async () => {
    const secret = await createToken();
    await verifier.verify(secret, ADDRESS);
    const id = await idOf(secret);
    await createTokens(world.db).revoke(id);
    listener.onRevoked(id);
    expect(await verifier.verify(secret, ADDRESS)).to.equal('unknown');
  });

  it('never sends a secret to Postgres', async () => {
    await verifier.verify(CLIENT_TOKEN, ADDRESS);
    expect(queries.flat().every((hash) => /^[\da-f]{64}$/.test(hash))).to.equal(true);
  });

  function flood(): Promise<unknown[]> {
    const verify = (_: unknown, i: number) => verifier.verify(`*:*.invented-${i}`, `192.0.2.${i % 100}`);
    return Promise.all(Array.from({ length: FLOOD }, verify));
  }

  async function createToken(): Promise<string> {
    const token = aToken();
    await createTokens(world.db).create(token);
    return token.secret;
  }

  async function idOf(secret: string): Promise<string> {
    return (await createTokens(world.db).find([hashSecret(secret)])).get(hashSecret(secret))?.id ?? '';
  }
});
