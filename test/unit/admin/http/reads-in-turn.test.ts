import { expect } from 'chai';
import { HttpProblem } from '#http';
import { ReadsInTurn } from '../../../../services/admin/http/reads-in-turn.ts';

describe('ReadsInTurn', () => {
  it('reads once for all equal requests during the read and shortly after', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));

    const together = Array.from({ length: 100 }, () => reads.read('accounting', work));
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set([1]));
    expect(await reads.read('accounting', work)).to.equal(1);
  });

  it('reads one question at a time, in the order of the requests', async () => {
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

  it('answers 503 to one question more than may wait', async () => {
    const reads = new ReadsInTurn<number>();
    const waiting = Array.from({ length: 8 }, (_, index) =>
      reads.read(String(index), () => Promise.resolve(index)),
    );
    const rejected = await reads.read('9', () => Promise.resolve(9)).catch((error: unknown) => error);

    expect(rejected).to.be.instanceOf(HttpProblem).with.property('status', 503);
    expect(await Promise.all(waiting)).to.deep.equal([0, 1, 2, 3, 4, 5, 6, 7]);
    expect(await reads.read('9', () => Promise.resolve(9))).to.equal(9);
  });

  it('does not reuse a failure, and continues after it', async () => {
    const reads = new ReadsInTurn<number>();
    const failure = await reads
      .read('accounting', () => Promise.reject(new Error('away')))
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Error).with.property('message', 'away');
    expect(await reads.read('accounting', () => Promise.resolve(1))).to.equal(1);
  });
});
