import { expect } from 'chai';
import { aBatch, aggregate, anApplication } from '../../../../support/builders/builders.ts';

describe('the rules of applications', () => {
  it('refuse an application whose environment has more than 100 characters, and keep one with a longer name', () => {
    const long = 'x'.repeat(101);
    const named = anApplication({ appName: long });
    const { applications, refusals } = aggregate(
      aBatch({ applications: [anApplication({ environment: long }), named] }),
    );
    expect(refusals.map(({ reason }) => reason)).to.deep.equal(['name_too_long']);
    expect(applications).to.deep.equal([named]);
  });

  it('keep an application with as many strategies, projects and relays as allowed', () => {
    const largest = anApplication({
      strategies: Array.from({ length: 100 }, () => 'a'),
      projects: Array.from({ length: 500 }, () => 'x'),
      connectVia: Array.from({ length: 10 }, () => ({ appName: 'r', instanceId: 'i' })),
    });
    expect(aggregate(aBatch({ applications: [largest] })).applications).to.deep.equal([largest]);
  });
});
