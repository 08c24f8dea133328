import { expect } from 'chai';
import { overrideSettings, readConfig } from '#runtime';

const ENV = {
  KAFKA_BROKERS: 'one:9092',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  DATABASE_URL: 'postgres://127.0.0.1/flagmeter',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

describe('overrideSettings', () => {
  it('replaces a setting, whether the environment has its value or its file', () => {
    for (const own of [{ PORT: '4242' }, { PORT_FILE: '/nowhere' }])
      expect(readConfig(overrideSettings({ ...ENV, ...own }, { PORT: '0' })).http.port).to.equal(0);
  });

  it('removes a setting, whether the environment has its value or its file', () => {
    for (const own of [{ OPS_PORT: '9000' }, { OPS_PORT_FILE: '/nowhere' }])
      expect(readConfig(overrideSettings({ ...ENV, ...own }, { OPS_PORT: '' })).http.ops).to.equal(undefined);
  });
});
