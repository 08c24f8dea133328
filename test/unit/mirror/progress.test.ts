import { expect } from 'chai';
import { decodeProgress, encodeProgress } from '../../../services/unleash/mirror/progress.ts';
import { ReplayStart } from '../../../services/unleash/mirror/replay-start.ts';

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

describe('the start of a successor', () => {
  it('is the first range with a receipt that is not too far behind the latest one', () => {
    const start = new ReplayStart(100);
    start.add({ from: 0n, receivedTo: 1000 });
    start.add({ from: 5n, receivedTo: 1090 });
    expect(start.offset).to.equal(0n);
    start.add({ from: 9n, receivedTo: 1150 });
    expect(start.offset).to.equal(5n);
    start.add({ from: 12n, receivedTo: 1400 });
    expect(start.offset).to.equal(12n);
  });

  it('is not moved by a range with an early receipt', () => {
    const start = new ReplayStart(100);
    start.add({ from: 0n, receivedTo: 1000 });
    start.add({ from: 5n, receivedTo: 500 });
    start.add({ from: 9n, receivedTo: 1050 });
    expect(start.offset).to.equal(0n);
  });
});
