import { once } from 'node:events';
import { expect } from 'chai';
import { Redis } from 'ioredis';
import { type Bus, openRedisBus } from '#base/auth';
import { DEAF, overheard } from '../../../support/stack/bus/overheard.ts';
import { type OwnEngine, ownRedis } from '../../../support/stack/engines/own-engines.ts';
import { eventually } from '../../../support/eventually.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';

describe('revocations through Redis', () => {
  let redis: OwnEngine;
  let here: Bus;
  let elsewhere: Bus;
  let deaf: Bus | undefined;
  let operator: Redis;

  before(async () => {
    redis = await ownRedis();
  });
  after(() => redis.dispose());
  beforeEach(() => {
    const access = { url: redis.address, tls: undefined };
    here = openRedisBus(access, collectLog().log);
    elsewhere = openRedisBus(access, collectLog().log);
    operator = new Redis(redis.address);
  });
  afterEach(() => {
    here.close();
    elsewhere.close();
    deaf?.close();
    operator.disconnect();
  });

  it('say how many processes Redis has told', async () => {
    expect(await elsewhere.announce('some-token')).to.equal(0);
    const { heard, subscribe } = overheard(here);
    const connected = once(heard, 'gap');
    subscribe(DEAF);
    await connected;
    expect(await elsewhere.announce('some-token')).to.equal(1);
  });

  it('fail on a replica, whose announcements do not reach the clients of its primary', async () => {
    const replica = await ownRedis();
    const atReplica = new Redis(replica.address);
    const { hostname, port } = new URL(redis.address);
    await atReplica.replicaof(hostname, port);
    deaf = openRedisBus({ url: replica.address, tls: undefined }, collectLog().log);
    const failure = await deaf.announce('some-token').catch((error: unknown) => error);
    atReplica.disconnect();
    await replica.dispose();
    expect(failure).to.have.property('message').that.includes('READONLY');
  });

  it('are known to be missed while Redis is away', async () => {
    const { heard, subscribe } = overheard(here);
    const connected = once(heard, 'gap');
    subscribe(DEAF);
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
    deaf = openRedisBus({ url: redis.address, tls: undefined }, log);
    const { heard, subscribe } = overheard(deaf);
    const gap = once(heard, 'gap');
    subscribe(DEAF);
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
