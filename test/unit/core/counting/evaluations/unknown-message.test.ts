import { expect } from 'chai';
import { decodeCounts } from '#core/counting';
import { aCountsValue, aMetric, decoded } from '../../../../support/builders/builders.ts';

describe('the unknown results in a message', () => {
  it('survive encoding and decoding', () => {
    const metrics = [aMetric({ yes: 2 }), aMetric({ featureName: 'other', no: 5 })];
    const { names, unknown } = decoded(aCountsValue({ metrics, unknown: 7 }));
    const found = unknown.map(({ feature, group, count }) => [names[feature], group, count]);
    expect(found).to.deep.equal([
      ['new-basket', 0, 7],
      ['other', 0, 7],
    ]);
  });

  it('are absent from other messages, whose bytes stay as they were', () => {
    const value = aCountsValue();
    expect(decoded(value).unknown).to.deep.equal([]);
    expect(new TextDecoder().decode(value)).not.to.include('unknown');
  });

  const { names, groups } = decoded(aCountsValue({ unknown: 7 }));
  for (const [what, unknown] of [
    ['are no list', '{}'],
    ['lack a number', '[0,0]'],
    ['have a name that is missing', `[${names.length},0,7]`],
    ['have a group that is missing', `[0,${groups.length / 3},7]`],
    ['have a negative count', '[0,0,-1]'],
  ] as const)
    it(`that ${what} make it a dead letter`, () => {
      const text = Buffer.from(aCountsValue({ unknown: 7 })).toString('latin1');
      const spoilt = text.replace(/"unknown":\[[^\]]*\]/, `"unknown":${unknown}`);
      expect(decodeCounts(Buffer.from(spoilt, 'latin1'))).to.deep.equal({ problem: 'bad unknown results' });
    });
});
