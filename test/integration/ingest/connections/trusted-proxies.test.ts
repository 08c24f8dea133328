import Router from '@koa/router';
import { expect } from 'chai';
import { limitAddress } from '#base/http';
import { Registry, type Service, createLog, readConfig } from '#base/runtime';
import { serve } from '../../../../packages/base/http/serve.ts';

const ENGINES = {
  KAFKA_BROKERS: 'nobody:9092',
  CLICKHOUSE_URL: 'http://nobody:8123',
  DATABASE_URL: 'postgres://nobody@nobody/none',
  REDIS_URL: 'redis://nobody:6379',
};

describe('limits for each client address', () => {
  const services: Service[] = [];
  after(() => Promise.all(services.map((service) => service.stop())));

  it('distinguish the clients of a trusted proxy, and no client can choose its address', async () => {
    const ask = await start({ TRUST_PROXY: '127.0.0.1' });
    expect(await ask('203.0.113.7')).to.equal(200);
    expect(await ask('203.0.113.7')).to.equal(429);
    expect(await ask('203.0.113.8')).to.equal(200);
    // The client sent the left part, and the proxy appended the right one.
    expect(await ask('198.51.100.1, 203.0.113.7')).to.equal(429);
  });

  for (const TRUST_PROXY of ['', '192.0.2.1'])
    it(`do not read X-Forwarded-For of others: TRUST_PROXY is "${TRUST_PROXY}"`, async () => {
      const ask = await start({ TRUST_PROXY });
      expect(await ask('203.0.113.7')).to.equal(200);
      expect(await ask('203.0.113.8')).to.equal(429);
    });

  it('need addresses or networks in TRUST_PROXY', () => {
    for (const TRUST_PROXY of ['proxy.internal', '10.0.0.0/33', '10.0.0.0/8/8', '10.0.0/8', 'fd00::/129'])
      expect(() => readConfig({ ...ENGINES, TRUST_PROXY })).to.throw('TRUST_PROXY must be: addresses');
  });

  /** Serves a path on which each address has one request an hour. */
  async function start(settings: Record<string, string>): Promise<(forwarded: string) => Promise<number>> {
    const router = new Router();
    router.get('/limited', limitAddress({ max: 1, windowMs: 3_600_000 }), (ctx) => {
      ctx.body = 'here';
    });
    const service = await serve({
      config: readConfig({ ...ENGINES, PORT: '0', ...settings }),
      log: createLog('test', 'fatal'),
      registry: new Registry(),
      routers: [router],
      readiness: () => undefined,
      finish: () => Promise.resolve(),
    });
    services.push(service);
    return async (forwarded) => {
      const answer = await fetch(`${service.url}/limited`, { headers: { 'x-forwarded-for': forwarded } });
      return answer.status;
    };
  }
});
