import { expect } from 'chai';
import { Registry, createLog, readConfig } from '#base/runtime';
import { serve } from '../../../../packages/base/http/serve.ts';
import { freePort } from '../../../../tools/stack/index.ts';

const NOBODY = 'nobody:1';
const PATHS = ['/metrics', '/internal-backstage/prometheus'];

describe('the metrics of a service', () => {
  it('are at the usual path only on a port of their own', async () => {
    const opsPort = await freePort();
    expect(await statusesWith({})).to.deep.equal([404, 200]);
    expect(await statusesWith({ OPS_PORT: String(opsPort) })).to.deep.equal([404, 404]);
    expect(await statusesWith({ OPS_PORT: String(opsPort) }, opsPort)).to.deep.equal([200, 200]);
  });
});

/** Of the port, by default that of the service. */
async function statusesWith(settings: Record<string, string>, port?: number): Promise<number[]> {
  const service = await serve({
    config: readConfig({
      KAFKA_BROKERS: NOBODY,
      CLICKHOUSE_URL: `http://${NOBODY}`,
      DATABASE_URL: `postgres://nobody@${NOBODY}/none`,
      REDIS_URL: `redis://${NOBODY}`,
      SHUTDOWN_GRACE_MS: '0',
      PORT: '0',
      ...settings,
    }),
    log: createLog('test', 'fatal'),
    registry: new Registry(),
    routers: [],
    readiness: () => undefined,
    finish: () => Promise.resolve(),
  });
  const url = port === undefined ? service.url : `http://127.0.0.1:${port}`;
  const statuses = await Promise.all(PATHS.map(async (path) => (await fetch(url + path)).status));
  await service.stop();
  return statuses;
}
