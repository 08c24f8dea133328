import { EventEmitter, once } from 'node:events';
import { expect } from 'chai';
import { HttpProblem } from '#base/http';
import { ANYBODY, type Caller } from '#base/tokens';
import { ReadsInTurn } from '../../../../../services/admin/http/turns/reads-in-turn.ts';
import { setClockByHand } from '../../../../support/clock/set-clock.ts';

const CALLER: Caller = { ...ANYBODY, userId: 1 };
const OTHER: Caller = { ...ANYBODY, userId: 2 };

/** A request of a client that waits for its answer, or leaves by this signal. */
function requestOf(
  caller: Caller,
  { signal: left }: { readonly signal: AbortSignal } = new AbortController(),
) {
  return { caller, left };
}

describe('ReadsInTurn', () => {
  const clock = setClockByHand();

  it('reads once for all equal requests during the read and for a second after', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));

    const together = Array.from({ length: 100 }, () => reads.read(requestOf(CALLER), 'accounting', work));
    expect(new Set(await Promise.all(together))).to.deep.equal(new Set([1]));
    clock.advance(999);
    expect(await reads.read(requestOf(CALLER), 'accounting', work)).to.equal(1);
    clock.advance(1);
    expect(await reads.read(requestOf(CALLER), 'accounting', work)).to.equal(2);
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

    await Promise.all(['a', 'b'].map((name) => reads.read(requestOf(CALLER), name, () => slowly(name))));
    expect(order).to.deep.equal(['a begins', 'a ends', 'b begins', 'b ends']);
  });

  it('answers 429 to the fourth question of a caller, and reads for another meanwhile', async () => {
    const reads = new ReadsInTurn<number>();
    const own = Array.from({ length: 3 }, (_, index) =>
      reads.read(requestOf(CALLER), String(index), () => Promise.resolve(index)),
    );
    const rejected = await reads
      .read(requestOf(CALLER), '3', () => Promise.resolve(3))
      .catch((error: unknown) => error);

    expect(rejected).to.be.instanceOf(HttpProblem).with.property('status', 429);
    expect(await reads.read(requestOf(OTHER), '4', () => Promise.resolve(4))).to.equal(4);
    expect(await Promise.all(own)).to.deep.equal([0, 1, 2]);
    expect(await reads.read(requestOf(CALLER), '3', () => Promise.resolve(3))).to.equal(3);
  });

  it('forgets answers beyond a hundred, however many are asked within a second', async () => {
    const reads = new ReadsInTurn<number>();
    let times = 0;
    const work = (): Promise<number> => Promise.resolve((times += 1));
    for (let question = 0; question < 200; question += 1)
      await reads.read(requestOf(CALLER), String(question), work);
    await reads.read(requestOf(CALLER), '199', work);
    expect(times).to.be.above(200);
  });

  it('does not reuse a failure, and continues after it', async () => {
    const reads = new ReadsInTurn<number>();
    const failure = await reads
      .read(requestOf(CALLER), 'accounting', () => Promise.reject(new Error('away')))
      .catch((error: unknown) => error);

    expect(failure).to.be.instanceOf(Error).with.property('message', 'away');
    expect(await reads.read(requestOf(CALLER), 'accounting', () => Promise.resolve(1))).to.equal(1);
  });

  describe('whose clients leave', () => {
    /** Occupies the turn of the caller until the returned function is called. */
    function occupy(reads: ReadsInTurn<string>): () => Promise<unknown> {
      const held = new EventEmitter();
      const released = once(held, 'released');
      const first = reads.read(requestOf(CALLER), 'first', async () => {
        await released;
        return 'first';
      });
      return () => {
        held.emit('released');
        return first;
      };
    }

    const ask = (reads: ReadsInTurn<string>, question: string, tab: AbortController): Promise<string> =>
      reads.read(requestOf(CALLER, tab), question, () => Promise.resolve(question));

    it('drops reads that have not begun, and gives their room to the next ones', async () => {
      const reads = new ReadsInTurn<string>();
      const giveBack = occupy(reads);
      const begun: string[] = [];
      const askNoting = (question: string, tab: AbortController): Promise<string> =>
        reads.read(requestOf(CALLER, tab), question, () => {
          begun.push(question);
          return Promise.resolve(question);
        });
      const closed = new AbortController();
      const ofClosed = ['a', 'b'].map((question) => askNoting(question, closed).catch(statusOf));
      closed.abort();
      const ofOpen = ['c', 'd'].map((question) => askNoting(question, new AbortController()));
      await giveBack();

      expect(await Promise.all(ofClosed)).to.deep.equal([408, 408]);
      expect(await Promise.all(ofOpen)).to.deep.equal(['c', 'd']);
      expect(begun).to.deep.equal(['c', 'd']);
    });

    it('keeps a read while somebody waits for its answer', async () => {
      const reads = new ReadsInTurn<string>();
      const giveBack = occupy(reads);
      const closed = new AbortController();
      const answers = [closed, new AbortController()].map((tab) => ask(reads, 'shared', tab));
      closed.abort();
      await giveBack();

      expect(await Promise.all(answers)).to.deep.equal(['shared', 'shared']);
    });

    it('reads again if the same question comes after all have left', async () => {
      const reads = new ReadsInTurn<string>();
      const giveBack = occupy(reads);
      const closed = new AbortController();
      setImmediate(() => {
        closed.abort();
      });
      expect(await ask(reads, 'again', closed).catch(statusOf)).to.equal(408);
      const second = ask(reads, 'again', new AbortController());
      await giveBack();

      expect(await second).to.equal('again');
    });
  });
});

function statusOf(error: unknown): number {
  return (error as HttpProblem).status;
}
