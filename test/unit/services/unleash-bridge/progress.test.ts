import { expect } from 'chai';
import { decodeProgress, encodeProgress } from '../../../../services/unleash-bridge/mirror/progress.ts';

describe('the progress of a mirrored partition', () => {
  for (const progress of [
    { from: 0n, current: undefined },
    { from: 9_007_199_254_740_993n, current: undefined },
    { from: 7n, current: { to: 12n, done: 3, isSent: true } },
    { from: 7n, current: { to: 12n, done: 0, isSent: false } },
  ])
    it(`survives a commit: ${encodeProgress(progress)}`, () => {
      expect(decodeProgress(encodeProgress(progress))).to.deep.equal(progress);
    });

  it('is unknown if the metadata comes from another writer', () => {
    for (const metadata of [
      null,
      '',
      'flagmeter-intent:2:1:2',
      'flagmeter-mirror:1:',
      'flagmeter-mirror:2:7',
    ])
      expect(decodeProgress(metadata), String(metadata)).to.equal(undefined);
  });
});
