import { expect } from 'chai';
import { configSchema, readConfig, readConfigOfOne } from '#base/runtime';
import { ENGINE_ADDRESSES } from '../../../../support/builders/engine-addresses.ts';

const ENV = { ...ENGINE_ADDRESSES, UNLEASH_URL: 'http://unleash.internal' };

describe('the configuration of one of several equal processes', () => {
  it('leaves one process everything', () => {
    const env = { ...ENV, INGEST_PROCESSES: '1', DATABASE_POOL_MAX: '1' };
    expect(readConfigOfOne(env)).to.deep.equal(readConfig(env));
  });

  it('gives each process an equal part of every limit that processes can divide', () => {
    const config = readConfigOfOne({ ...ENV, INGEST_PROCESSES: '8' });
    const { http, ingest, unleash, postgres, admin } = config;
    expect([http.maxConnections, http.maxConnectionsPerAddress]).to.deep.equal([1250, 313]);
    expect(ingest.inFlight).to.deep.equal({ maxBytes: 8 * 1024 * 1024, maxRequests: 500 });
    expect(unleash?.maxRequests).to.equal(625);
    expect([postgres.maxConnections, admin.maxConnections]).to.deep.equal([2, 2]);
    expect(config.processes).to.equal(8);
  });

  it('does not divide distinct names and rates, which are the same for all processes', () => {
    const env = { ...ENV, INGEST_PROCESSES: '8' };
    const { namesPerHour, rateLimitPerMinute } = readConfigOfOne(env).ingest;
    expect(namesPerHour).to.deep.equal(readConfig(env).ingest.namesPerHour);
    expect(rateLimitPerMinute).to.equal(readConfig(env).ingest.rateLimitPerMinute);
  });

  it('says of every limit how processes share it', () => {
    const limits = Object.entries(configSchema.properties).filter(([name]) => /MAX|LIMIT/.test(name));
    expect(limits.length).to.be.greaterThan(20);
    expect(limits.filter(([, property]) => !('share' in property)).map(([name]) => name)).to.deep.equal([]);
  });
});
