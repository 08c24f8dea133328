import { createHash } from 'node:crypto';
import { expect } from 'chai';
import { CountSums, decodeCounts, seriesKeyOf } from '#core/counting';
import { MAX_HOUR } from '../../../../../packages/core/counting/encoding/guards.ts';
import {
  RECEIVED_AT,
  aCountsValue,
  decoded,
  encodeAggregated,
} from '../../../../support/builders/builders.ts';
import { aPoint, aPointsValue } from '../../../../support/builders/points.ts';

describe('seriesKeyOf', () => {
  it('is a part of the SHA-256 in base64url, as stored states have it', () => {
    const digest = createHash('sha256').update('["one","two"]').digest('base64url');
    expect(seriesKeyOf(['one', 'two'])).to.equal(digest.slice(0, 22));
  });
});

describe('the points in a message', () => {
  it('have an owner, the first token of its rotations; messages without points leave it out', () => {
    const sums = new CountSums();
    const [point, none] = [[aPoint({ value: 1 }, sums)], []].map((points) => {
      const aggregated = {
        received: points.length,
        sums,
        refusals: [],
        applications: [],
        hasExactTime: false,
      };
      return decoded(encodeAggregated(aggregated, { tokenId: 'token', owner: 'first', points })).owner;
    });
    expect([point, none]).to.deep.equal(['first', 'token']);
  });

  it('survive encoding and decoding', () => {
    const sums = new CountSums();
    const given = [
      { value: 5 },
      { value: 7, counter: 'two', featureName: 'other', result: 'unknown' as const },
      { value: 1, startedAt: RECEIVED_AT },
    ];
    const { points, names, received } = decoded(aPointsValue(given));
    expect(points).to.deep.equal(given.map((one) => aPoint(one, sums)));
    expect([names, received]).to.deep.equal([sums.names, 3]);
  });

  it('are absent from other messages, whose bytes stay as they were', () => {
    const value = aCountsValue();
    expect(decoded(value).points).to.deep.equal([]);
    expect(new TextDecoder().decode(value)).not.to.include('points');
  });

  const text = Buffer.from(aPointsValue([{ value: 5 }])).toString('latin1');
  for (const [what, found, spoilt] of [
    ['are no list', /"points":\[\[.*?\]\]/, '"points":{}'],
    ['have another key', /"points":\[\["./, '"points":[["'],
    ['lack a name', /,0,1,2,4,1,4,0,6\]/, ',0,1,2,4,1]'],
    ['have a name that is missing', /,0,1,2,4,1,4,0,6\]/, ',9,1,2,4,1,4,0,6]'],
    ['have an application that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,6,2,4,1,4,0,6]'],
    ['have an environment that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,1,6,4,1,4,0,6]'],
    ['have a variant that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,1,2,7,1,4,0,6]'],
    ['have a reason that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,1,2,4,1,6,0,6]'],
    ['have an error that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,1,2,4,1,4,7,6]'],
    ['have a provider that is missing', /,0,1,2,4,1,4,0,6\]/, ',0,1,2,4,1,4,0,7]'],
    ['are no points', /"points":\[\[.*?\]\]/, '"points":[5]'],
    ['have a key that is no text', /"points":\[\["[^"]{22}"/, '"points":[[{"length":22}'],
    ['are of a time that no hour has', /(\["[^"]{22}",\d+),\d+,/, `$1,${MAX_HOUR * 3_600_000_000},`],
    ['have a negative value', /,5,0,1,2,/, ',-5,0,1,2,'],
    ['are earlier than their start', `,${RECEIVED_AT * 1000},`, `,${RECEIVED_AT * 1000 - 3_600_000_001},`],
  ] as const)
    it(`that ${what} make it a dead letter`, () => {
      expect(text.replace(found, spoilt)).not.to.equal(text);
      expect(decodeCounts(Buffer.from(text.replace(found, spoilt), 'latin1'))).to.deep.equal({
        problem: 'bad points',
      });
    });
});
