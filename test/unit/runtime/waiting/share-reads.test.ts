import { expect } from 'chai';
import { shareReads } from '#runtime';

describe('shareReads', () => {
  it('reads once for all who ask meanwhile and for a while after', async () => {
    let reads = 0;
    const read = shareReads(60_000, () => Promise.resolve((reads += 1)));
    expect(await Promise.all([read(), read()])).to.deep.equal([1, 1]);
    expect(await read()).to.equal(1);
  });

  it('reads again after that', async () => {
    let reads = 0;
    const read = shareReads(0, () => Promise.resolve((reads += 1)));
    expect(await read()).to.equal(1);
    expect(await read()).to.equal(2);
  });

  it('lets the time that a read took decide how long it serves', async () => {
    let reads = 0;
    const took: number[] = [];
    const read = shareReads(
      (tookMs) => {
        took.push(tookMs);
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
    expect(took.every((tookMs) => tookMs > 0)).to.equal(true);
  });

  it('shares a failure likewise', async () => {
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
