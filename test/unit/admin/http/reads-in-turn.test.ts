import { expect } from 'chai';
import { HttpProblem } from '#http';
import { ANYBODY, type Caller } from '#tokens';
import { ReadsInTurn } from '../../../../services/admin/http/turns/reads-in-turn.ts';

const CALLER: Caller = { ...ANYBODY, userId: 1 };
const OTHER: Caller = { ...ANYBODY, userId: 2 };

describe('ReadsInTurn', () => {
  it('reads once for all equal requests during the read and shortly after', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));

    const together = Array.from({ length: 100 }, () => reads.read(CALLER, 'accounting', work));
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set([1]));
    expect(await reads.read(CALLER, 'accounting', work)).to.equal(1);
  });

  it('reads one question of a caller at a time, in the order of the requests', async () => {
    const reads = new ReadsInTurn<string>();
    const order: string[] = [];
    const slowly = async (name: string): Promise<string> => {
      order.push(`${name} begins`);
      await new Promise(setImmediate);
      order.push(`${name} ends`);
      return name;
    };

    await Promise.all(['a', 'b'].map((name) => reads.read(CALLER, name, () => slowly(name))));
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('answers 429 to the fourth question of a caller, and reads for another meanwhile', async () => {
    const reads = new ReadsInTurn<number>();
    const own = Array.from({ length: 3 }, (_, index) =>
      reads.read(CALLER, String(index), () => Promise.resolve(index)),
    );
    const rejected = await reads.read(CALLER, '3', () => Promise.resolve(3)).catch((error: unknown) => error);

    expect(rejected).to.be.instanceOf(HttpProblem).with.property('status', 429);
    expect(await reads.read(OTHER, '4', () => Promise.resolve(4))).to.equal(4);
    expect(await Promise.all(own)).to.deep.equal([0, 1, 2]);
    expect(await reads.read(CALLER, '3', () => Promise.resolve(3))).to.equal(3);
  });

  it('forgets answers beyond a hundred, however many are asked within a second', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));
    for (let question = 0; question < 200; question += 1) await reads.read(CALLER, String(question), work);
    await reads.read(CALLER, '199', work);
    expect(times).to.be.above(200);
  });

  it('does not reuse a failure, and continues after it', async () => {
    const reads = new ReadsInTurn<number>();
    const failure = await reads
      .read(CALLER, 'accounting', () => Promise.reject(new Error('away')))
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Error).with.property('message', 'away');
    expect(await reads.read(CALLER, 'accounting', () => Promise.resolve(1))).to.equal(1);
  });
});
