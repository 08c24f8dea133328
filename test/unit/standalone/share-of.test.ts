import { expect } from 'chai';
import { readConfig } from '#runtime';
import { shareOf } from '../../../services/standalone/share-of.ts';
import { ENGINE_ADDRESSES } from '../../support/builders/engine-addresses.ts';

const ENV = { ...ENGINE_ADDRESSES, UNLEASH_URL: 'http://unleash.internal' };

describe('shareOf', () => {
  it('leaves one process everything', () => {
    const config = readConfig({ ...ENV, INGEST_PROCESSES: '1', DATABASE_POOL_MAX: '1' });
    expect(shareOf(config)).to.deep.equal(config);
  });

  it('gives each process an equal part of every limit that a setting sets', () => {
    const { http, ingest, unleash, postgres, admin } = shareOf(readConfig({ ...ENV, INGEST_PROCESSES: '8' }));
    expect([http.maxConnections, http.maxConnectionsPerAddress]).to.deep.equal([1250, 313]);
    expect(ingest.inFlight).to.deep.equal({ maxBytes: 8 * 1024 * 1024, maxRequests: 500 });
    expect(unleash?.maxRequests).to.equal(625);
    expect([postgres.maxConnections, admin.maxConnections]).to.deep.equal([2, 2]);
  });

  it('does not divide distinct names and rates, which are the same for all processes', () => {
    const config = readConfig({ ...ENV, INGEST_PROCESSES: '8' });
    const { namesPerHour, rateLimitPerMinute } = shareOf(config).ingest;
    expect(namesPerHour).to.deep.equal(config.ingest.namesPerHour);
    expect(rateLimitPerMinute).to.equal(config.ingest.rateLimitPerMinute);
  });
});
