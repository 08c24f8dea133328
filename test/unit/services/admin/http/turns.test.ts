import { mock } from 'node:test';
import { expect } from 'chai';
import { Turns, type TurnsLimits } from '#base/http';
import { tooManyOfCaller } from '../../../../../services/admin/http/turns/limit-reached.ts';
import { createQueues } from '../../../../../services/admin/http/turns/queues.ts';

const LIMITS: TurnsLimits = {
  working: { each: 1, all: 2 },
  waiting: { each: 2, all: 5 },
  longestWaitMs: 60_000,
  tooManyOfCaller,
};

/** Work that ends when the test says so. */
function aRoom(limits: Partial<TurnsLimits> = {}) {
  const turns = new Turns({ ...LIMITS, ...limits });
  const begun: string[] = [];
  const ends = new Map<string, () => void>();
  return {
    begun,
    /** Names are of the form `caller number`. Returns the name, or the status of the rejection. */
    ask: (name: string): Promise<string | number> =>
      turns
        .take(name.split(' ')[0] ?? '', () => {
          begun.push(name);
          return new Promise<string>((resolve) => {
            ends.set(name, () => {
              resolve(name);
            });
          });
        })
        .catch(statusOf),
    end: async (name: string): Promise<void> => {
      await new Promise(setImmediate); // after it has begun
      ends.get(name)?.();
      await new Promise(setImmediate);
    },
  };
}

function statusOf(error: unknown): number {
  return (error as { status: number }).status;
}

describe('Turns', () => {
  it('leave room for another caller, however much one asks for', async () => {
    const { ask, begun, end } = aRoom();
    const greedy = Array.from({ length: 100 }, (_, index) => ask(`greedy ${index}`));
    const honest = ask('honest 0');
    await new Promise(setImmediate);
    expect(begun).to.deep.equal(['greedy 0', 'honest 0']);
    for (const name of ['honest 0', 'greedy 0', 'greedy 1', 'greedy 2']) await end(name);
    expect(await honest).to.equal('honest 0');
    const answers = await Promise.all(greedy);
    expect(answers.slice(0, 3)).to.deep.equal(['greedy 0', 'greedy 1', 'greedy 2']);
    expect(new Set(answers.slice(3))).to.deep.equal(new Set([429]));
  });

  it('go from caller to caller', async () => {
    const { ask, begun, end } = aRoom({ working: { each: 1, all: 1 } });
    const names = ['a 0', 'a 1', 'a 2', 'b 0', 'b 1', 'c 0'];
    const answers = names.map(ask);
    for (const name of ['a 0', 'a 1', 'b 0', 'c 0', 'a 2', 'b 1']) await end(name);
    expect(begun).to.deep.equal(['a 0', 'a 1', 'b 0', 'c 0', 'a 2', 'b 1']);
    expect(await Promise.all(answers)).to.deep.equal(names);
  });

  it('answer 503 if all callers together fill the room', async () => {
    const { ask, end } = aRoom();
    const names = ['a 0', 'b 0', 'c 0', 'c 1', 'd 0', 'd 1', 'e 0'];
    const answers = names.map(ask);
    expect(await ask('f 0')).to.equal(503);
    for (const name of ['a 0', 'b 0', 'c 0', 'd 0', 'e 0', 'c 1', 'd 1']) await end(name);
    expect(await Promise.all(answers)).to.deep.equal(names);
  });

  it('answer 503 to a request that has waited too long, and give its place to others', async () => {
    const { ask, end } = aRoom({ longestWaitMs: 5, waiting: { each: 1, all: 1 } });
    const stuck = ask('a 0');
    expect(await ask('a 1')).to.equal(503);
    expect(await ask('a 2')).to.equal(503);
    await end('a 0');
    expect(await stuck).to.equal('a 0');
    const next = ask('a 3');
    await end('a 3');
    expect(await next).to.equal('a 3');
  });

  it('go on after work that failed', async () => {
    const turns = new Turns({ ...LIMITS, working: { each: 1, all: 1 } });
    const [failed, next] = await Promise.allSettled([
      turns.take('a', () => Promise.reject(new Error('away'))),
      turns.take('a', () => Promise.resolve('next')),
    ]);
    expect(failed).to.have.nested.property('reason.message', 'away');
    expect(next).to.include({ value: 'next' });
  });
});

describe('The queues of the admin API', () => {
  beforeEach(() => {
    mock.timers.enable({ apis: ['setTimeout'] });
  });
  afterEach(() => {
    mock.timers.reset();
  });

  /** The answers to 40 requests of one caller. The first ones take this long. */
  async function answersOf(queue: 'database' | 'lists', takesMs: number): Promise<unknown[]> {
    const turns = createQueues({ forChanges: 5, forLists: 5 })[queue];
    const first = new Promise((resolve) => setTimeout(resolve, takesMs));
    const answers = Array.from({ length: 40 }, () =>
      turns.take('ana', async () => {
        await first;
        return 'done';
      }),
    );
    mock.timers.tick(takesMs);
    return Promise.all(answers.map((answer) => answer.catch(statusOf)));
  }

  it('let changes wait for as long as a statement may take', async () => {
    expect(new Set(await answersOf('database', 9999))).to.deep.equal(new Set(['done']));
    expect(new Set(await answersOf('database', 10_000))).to.deep.equal(new Set(['done', 503]));
  });

  it('let lists wait for as long as for a connection', async () => {
    expect(new Set(await answersOf('lists', 2000))).to.deep.equal(new Set(['done', 503]));
  });
});
