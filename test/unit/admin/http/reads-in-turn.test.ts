import { expect } from 'chai';
import { HttpProblem } from '#http';
import { ReadsInTurn } from '../../../../services/admin/http/reads-in-turn.ts';

describe('ReadsInTurn', () => {
  it('reads once for all who ask the same, while it is read and right after', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));

    const together = Array.from({ length: 100 }, () => reads.read('accounting', work));
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set([1]));
    expect(await reads.read('accounting', work)).to.equal(1);
  });

  it('reads one thing at a time, in the order of asking', async () => {
    const reads = new ReadsInTurn<string>();
    const order: string[] = [];
    const slowly = async (name: string): Promise<string> => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
      return name;
    };

    await Promise.all(['a', 'b'].map((name) => reads.read(name, () => slowly(name))));
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('answers 503 to who asks one more thing than may wait', async () => {
    const reads = new ReadsInTurn<number>();
    const waiting = Array.from({ length: 8 }, (_, index) =>
      reads.read(String(index), () => Promise.resolve(index)),
    );
    const rejected = await reads.read('9', () => Promise.resolve(9)).catch((error: unknown) => error);

    expect(rejected).to.be.instanceOf(HttpProblem).with.property('status', 503);
    expect(await Promise.all(waiting)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await reads.read('9', () => Promise.resolve(9))).to.equal(9);
  });

  it('keeps no failure, and goes on after it', async () => {
    const reads = new ReadsInTurn<number>();
    const failure = await reads
      .read('accounting', () => Promise.reject(new Error('away')))
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Error).with.property('message', 'away');
    expect(await reads.read('accounting', () => Promise.resolve(1))).to.equal(1);
  });
});
