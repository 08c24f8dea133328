import { expect } from 'chai';
import { eventVerb, rolloutChange } from '../../../../services/console/state/events/event-words.ts';

describe('the words of an event', () => {
  it('are a verb, or the type if only Unleash writes it', () => {
    expect(eventVerb({ type: 'feature-environment-enabled' })).to.equal('turned on');
    expect(eventVerb({ type: 'segment-created' })).to.equal('segment created:');
  });

  it('name the rollout before and after', () => {
    const withRollout = (rollout: unknown) => ({ name: 'flexibleRollout', parameters: { rollout } });
    const change = (before: unknown, after: unknown) =>
      rolloutChange({ preData: withRollout(before), data: withRollout(after) });
    expect(change('25', '50')).to.equal('from 25\u00a0% to 50\u00a0%');
    expect(change('25', '25')).to.equal(undefined);
    expect(change(25, { percent: 50 })).to.equal(undefined);
    expect(rolloutChange({ preData: null, data: withRollout('50') })).to.equal(undefined);
    expect(rolloutChange({ preData: { parameters: null }, data: { parameters: 'all' } })).to.equal(undefined);
  });
});
