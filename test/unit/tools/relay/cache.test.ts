import { expect } from 'chai';
import { createCache } from '../../../../tools/relay/index.ts';
import { aRelayApplication, aRelayBatch, aRelayMetric } from './builders.ts';

const AT = Date.UTC(2026, 10, 21, 10, 15);
const KEY = { featureName: 'new-basket', appName: 'checkout', environment: 'production' };

describe('the cache of a relay', () => {
  it('adds up one hour of a feature, application and environment under its first timestamp', () => {
    const cache = createCache();
    cache.record({ ...KEY, at: AT, yes: 2, no: 1, variants: { blue: 2 } });
    cache.record({ ...KEY, at: AT + 60_000, yes: 3, variants: { blue: 1, red: 2 } });
    expect(cache.drain('production').metrics).to.deep.equal([
      aRelayMetric({ timestamp: '2026-11-21T10:15:00Z', yes: 5, no: 1, variants: { blue: 3, red: 2 } }),
    ]);
  });

  it('keeps hours, features, applications and environments apart', () => {
    const cache = createCache();
    cache.record({ ...KEY, at: AT, yes: 1 });
    cache.record({ ...KEY, at: AT + 3_600_000, yes: 1 });
    cache.record({ ...KEY, featureName: 'other', at: AT, yes: 1 });
    cache.record({ ...KEY, appName: 'other', at: AT, yes: 1 });
    cache.record({ ...KEY, environment: 'other', at: AT, yes: 1 });
    expect(cache.environments()).to.deep.equal(['production', 'other']);
    expect(cache.drain('production').metrics).to.have.lengthOf(4);
    expect(cache.drain('other').metrics).to.have.lengthOf(1);
  });

  it('drops metrics without yes and no', () => {
    const cache = createCache();
    cache.record({ ...KEY, at: AT });
    expect(cache.environments()).to.deep.equal([]);
  });

  it('adds returned metrics to those recorded meanwhile', () => {
    const cache = createCache();
    cache.record({ ...KEY, at: AT + 1000, yes: 1, variants: { red: 1 } });
    const returned = aRelayMetric({ yes: 4, no: 2, variants: { blue: 4 } });
    cache.mergeBack('production', aRelayBatch({ metrics: [returned], seenTokens: ['secret'] }));
    const { metrics, seenTokens } = cache.drain('production');
    expect(metrics).to.deep.equal([
      aRelayMetric({ timestamp: '2026-11-21T10:15:01Z', yes: 5, no: 2, variants: { red: 1, blue: 4 } }),
    ]);
    expect(seenTokens).to.deep.equal(['secret']);
  });

  it('sends an application without an instance each time, others once', () => {
    const cache = createCache();
    const [lasting, passing] = [aRelayApplication({}), aRelayApplication({ instanceId: 'i-1' })];
    cache.register(lasting);
    cache.register(passing);
    expect(cache.drainApplications()).to.deep.equal([lasting, passing]);
    expect(cache.drainApplications()).to.deep.equal([lasting]);
  });

  it('sends returned applications only together with other data', () => {
    const cache = createCache();
    cache.mergeBack('production', aRelayBatch({ applications: [aRelayApplication({ instanceId: 'i-1' })] }));
    expect(cache.environments()).to.deep.equal([]);
    cache.seeToken('production', 'secret');
    expect(cache.environments()).to.deep.equal(['production']);
  });

  it('restores an application that did not arrive', () => {
    const cache = createCache();
    const application = aRelayApplication({ instanceId: 'i-1' });
    cache.mergeBack('production', aRelayBatch({ applications: [application] }));
    expect(cache.drainApplications()).to.deep.equal([application]);
  });
});
