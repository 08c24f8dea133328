import { expect } from 'chai';
import { decodeCounts } from '#core/counting';
import { aCountsValue, aMetric, decoded } from '../../../../support/builders/builders.ts';

const REASONS = [{ reason: 'static' }, { reason: 'error', errorType: 'general', provider: 'flagd' }];

describe('the reasons in a message', () => {
  it('survive encoding and decoding', () => {
    const metrics = [aMetric({ yes: 2 }), aMetric({ featureName: 'other', no: 5 })];
    const { names, reasons } = decoded(aCountsValue({ metrics, reasons: REASONS }));
    const nameOf = (id: number | undefined) => (id === undefined ? undefined : names[id]);
    const found = Array.from(reasons?.all() ?? [], (one) => [
      nameOf(one.feature),
      one.group,
      nameOf(one.reason),
      nameOf(one.errorType),
      nameOf(one.provider),
      one.count,
    ]);
    expect(found).to.deep.equal([
      ['new-basket', 0, 'static', undefined, undefined, 2],
      ['other', 0, 'static', undefined, undefined, 5],
      ['new-basket', 0, 'error', 'general', 'flagd', 2],
      ['other', 0, 'error', 'general', 'flagd', 5],
    ]);
  });

  it('are absent from other messages, whose bytes stay as they were', () => {
    const value = aCountsValue();
    expect(decoded(value).reasons).to.equal(undefined);
    expect(new TextDecoder().decode(value)).not.to.include('reasons');
  });

  const { names, groups } = decoded(aCountsValue({ reasons: REASONS }));
  const [noName, noGroup] = [names.length, groups.length / 3];
  for (const [what, reasons] of [
    ['are no list', '{}'],
    ['lack a number', '[0,0,0,0,0]'],
    ['have a name that is missing', `[${noName},0,0,0,0,1]`],
    ['have a group that is missing', `[0,${noGroup},0,0,0,1]`],
    ['have a reason that is missing', `[0,0,${noName},0,0,1]`],
    ['have an error that is missing', `[0,0,0,${noName + 1},0,1]`],
    ['have a provider that is missing', `[0,0,0,0,${noName + 1},1]`],
    ['have a negative count', '[0,0,0,0,0,-1]'],
  ] as const)
    it(`that ${what} make it a dead letter`, () => {
      const text = Buffer.from(aCountsValue({ reasons: REASONS })).toString('latin1');
      const spoilt = text.replace(/"reasons":\[[^\]]*\]/, `"reasons":${reasons}`);
      expect(decodeCounts(Buffer.from(spoilt, 'latin1'))).to.deep.equal({ problem: 'bad reasons' });
    });
});
