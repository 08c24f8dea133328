import { expect } from 'chai';
import { shareReads } from '#base/runtime';

describe('shareReads', () => {
  it('reads once for all callers during the read and for a while after', async () => {
    let reads = 0;
    const read = shareReads(60_000, () => Promise.resolve((reads += 1)));
    expect(await Promise.all([read(), read()])).to.deep.equal([1, 1]);
    expect(await read()).to.equal(1);
  });

  it('reads again afterwards', async () => {
    let reads = 0;
    const read = shareReads(0, () => Promise.resolve((reads += 1)));
    expect(await read()).to.equal(1);
    expect(await read()).to.equal(2);
  });

  it('reuses a result for a time that depends on the duration of the read', async () => {
    let reads = 0;
    const durations: number[] = [];
    const read = shareReads(
      (durationMs) => {
        durations.push(durationMs);
        return reads < 2 ? 0 : 60_000;
      },
      () =>
        new Promise((resolve) =>
          setImmediate(() => {
            resolve((reads += 1));
          }),
        ),
    );
    expect([await read(), await read(), await read()]).to.deep.equal([1, 2, 2]);
    expect(durations.every((durationMs) => durationMs > 0)).to.equal(true);
  });

  it('shares a failure in the same way', async () => {
    let reads = 0;
    const read = shareReads(60_000, () => {
      reads += 1;
      return Promise.reject(new Error('away'));
    });
    const outcomes = await Promise.allSettled([read(), read()]);
    expect(outcomes.map(({ status }) => status)).to.deep.equal(['rejected', 'rejected']);
    expect(reads).to.equal(1);
  });
});
