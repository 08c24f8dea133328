import { expect } from 'chai';
import { type Job, type Round, createLog, staggerStarts, startJob, startJobOfMany } from '#base/runtime';
import { eventually } from '../../../../support/eventually.ts';

describe('jobs with staggered starts', () => {
  const begun: string[] = [];

  function start(name: string, startAfterMs: number): Job {
    const options = { name, pauseMs: 60_000, startAfterMs, log: createLog('test', 'fatal') };
    return startJob(options, () => {
      begun.push(name);
      return Promise.resolve();
    });
  }

  beforeEach(() => {
    begun.length = 0;
  });

  it('begin one after the other, the first one at once', async () => {
    const next = staggerStarts();
    const [first, second, third] = [next(), next(), next()];
    const jobs = [start('third', third), start('second', second), start('first', first)];
    expect(begun).to.deep.equal(['first']);
    await eventually(
      () => Promise.resolve(begun.length),
      (count) => count === 3,
    );
    expect(begun).to.deep.equal(['first', 'second', 'third']);
    await Promise.all(jobs.map((job) => job.stop()));
  });

  it('never begin if they are stopped before', async () => {
    await start('late', 60_000).stop();
    expect(begun).to.deep.equal([]);
  });
});

describe('a job of many things', () => {
  /** Runs rounds in which these keys fail; null for a round that ends with an error. Returns what each round has seen. */
  async function run(rounds: readonly (readonly string[] | null)[]) {
    const seen: { isNew: boolean[]; failed: readonly string[]; failedBefore: readonly string[] }[] = [];
    const work = ({ failed, failedBefore, isNewFailure }: Round<string>): Promise<void> => {
      const keys = rounds[seen.length];
      seen.push({ isNew: (keys ?? []).map(isNewFailure), failed, failedBefore });
      return keys === null ? Promise.reject(new Error('unreachable')) : Promise.resolve();
    };
    const job = startJobOfMany<string>({ name: 'test', pauseMs: 1, log: createLog('test', 'fatal') }, work);
    await eventually(
      () => Promise.resolve(seen.length),
      (count) => count >= rounds.length,
    );
    await job.stop();
    return seen.slice(0, rounds.length);
  }

  it('calls a failure new until a round has ended without it', async () => {
    const seen = await run([['a'], ['a', 'b'], ['b'], ['a']]);
    expect(seen.map(({ isNew }) => isNew)).to.deep.equal([[true], [false, true], [false], [true]]);
    expect(seen.map(({ failed }) => failed)).to.deep.equal([['a'], ['a', 'b'], ['b'], ['a']]);
  });

  it('forgets nothing in a round that ends with an error', async () => {
    const seen = await run([['a'], null, ['a']]);
    expect(seen.map(({ failedBefore }) => failedBefore)).to.deep.equal([[], ['a'], ['a']]);
  });
});
