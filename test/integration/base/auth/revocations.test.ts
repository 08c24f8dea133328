import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import {
  type FindTokens,
  type Revocations,
  createTokens,
  createTokenVerifier,
  openRevocations,
} from '#base/auth';
import { createSecret, hashSecret } from '#base/tokens';
import { type OwnEngine, ownRedis } from '../../../support/stack/engines/own-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';

describe('revocations', () => {
  const world = sharedUncountedWorld();
  let redis: OwnEngine;
  /** Of the process that verifies, and of the one that revokes. */
  let here: Revocations;
  let elsewhere: Revocations;
  let deaf: Revocations | undefined;
  let operator: Redis;

  before(async () => {
    redis = await ownRedis();
  });
  after(() => redis.dispose());
  beforeEach(() => {
    const access = { url: redis.address, tls: undefined };
    here = openRevocations(access, world.log);
    elsewhere = openRevocations(access, world.log);
    operator = new Redis(redis.address);
  });
  afterEach(() => {
    here.close();
    elsewhere.close();
    deaf?.close();
    operator.disconnect();
  });

  /**
   * The same revocations. They also emit an event for each announcement and gap, after the listener has handled it.
   */
  function overheard(revocations: Revocations): Pick<Revocations, 'subscribe'> & { heard: EventEmitter } {
    const heard = new EventEmitter();
    return {
      heard,
      subscribe(listener) {
        revocations.subscribe({
          onRevoked(tokenId) {
            listener.onRevoked(tokenId);
            heard.emit('revoked');
          },
          onLost() {
            listener.onLost();
            heard.emit('lost');
          },
          onGap() {
            listener.onGap();
            heard.emit('gap');
          },
        });
      },
    };
  }

  it('by another process reject a token to earlier and later callers while the token is looked up', async () => {
    const secret = createSecret([], 'production');
    const tokens = createTokens(world.db);
    const token = await tokens.create({
      secret,
      name: 'relay',
      type: 'client',
      environment: 'production',
      projects: [],
      expiresAt: undefined,
    });
    // The first answer was read from Postgres before the revocation and arrives after it.
    const wire = new EventEmitter();
    let queries = 0;
    const findTokens: FindTokens = async (hashes) => {
      const found = await tokens.find(hashes);
      queries += 1;
      if (queries > 1) return found;
      const arrived = once(wire, 'arrived');
      wire.emit('read', found.has(hashSecret(secret)));
      await arrived;
      return found;
    };
    const revocations = overheard(here);
    const { heard } = revocations;
    const verifier = createTokenVerifier({ findTokens, revocations, log: world.log });
    await once(heard, 'gap');
    const read = once(wire, 'read');
    const early = verifier.verify(secret, '192.0.2.1');
    expect(await read).to.deep.equal([true]);
    const revoked = once(heard, 'revoked');
    await tokens.revoke(token?.id ?? '');
    await elsewhere.announce(token?.id ?? '');
    await revoked;
    const late = verifier.verify(secret, '192.0.2.1');
    wire.emit('arrived');
    expect(await Promise.all([early, late])).to.deep.equal(['unknown', 'unknown']);
  });

  it('say how many processes Redis has told', async () => {
    expect(await elsewhere.announce('some-token')).to.equal(0);
    const { heard, subscribe } = overheard(here);
    const connected = once(heard, 'gap');
    subscribe({ onRevoked: () => undefined, onLost: () => undefined, onGap: () => undefined });
    await connected;
    expect(await elsewhere.announce('some-token')).to.equal(1);
  });

  it('fail on a replica, whose announcements do not reach the clients of its primary', async () => {
    const replica = await ownRedis();
    const atReplica = new Redis(replica.address);
    const { hostname, port } = new URL(redis.address);
    await atReplica.replicaof(hostname, port);
    deaf = openRevocations({ url: replica.address, tls: undefined }, collectLog().log);
    const failure = await deaf.announce('some-token').catch((error: unknown) => error);
    atReplica.disconnect();
    await replica.dispose();
    expect(failure).to.have.property('message').that.includes('READONLY');
  });

  it('are known to be missed while Redis is away', async () => {
    const { heard, subscribe } = overheard(here);
    const connected = once(heard, 'gap');
    subscribe({ onRevoked: () => undefined, onLost: () => undefined, onGap: () => undefined });
    await connected;
    const [lost, back] = [once(heard, 'lost'), once(heard, 'gap')];
    await redis.kill();
    await lost;
    await redis.restart();
    await back;
  });

  it('arrive once Redis accepts a subscription that it rejected at first', async () => {
    await operator.acl('SETUSER', 'default', '-subscribe');
    const { log, lines } = collectLog();
    deaf = openRevocations({ url: redis.address, tls: undefined }, log);
    const { heard, subscribe } = overheard(deaf);
    const gap = once(heard, 'gap');
    subscribe({ onRevoked: () => undefined, onLost: () => undefined, onGap: () => undefined });
    await eventually(
      () => Promise.resolve(lines()),
      (lines) => lines.some(({ msg }) => msg === 'redis subscription failed'),
    );
    await operator.acl('SETUSER', 'default', '+subscribe');
    await gap;
    const revoked = once(heard, 'revoked');
    await elsewhere.announce('some-token');
    await revoked;
  });
});
