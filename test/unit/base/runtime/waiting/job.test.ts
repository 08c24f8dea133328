import { expect } from 'chai';
import { FirstRuns, type Round, createLog, startJob, startJobOfMany } from '#base/runtime';
import { eventually } from '../../../../support/eventually.ts';

describe('jobs that share their first runs', () => {
  const log = createLog('test', 'fatal');

  it('begin one after the other, also if one fails, and go on by themselves', async () => {
    const firstRuns = new FirstRuns();
    const begun: string[] = [];
    const ends = new Map<string, () => void>();
    const start = (name: string) =>
      startJob({ name, pauseMs: 1, log, firstRuns }, async () => {
        begun.push(name);
        if (begun.filter((each) => each === name).length > 1) return;
        await new Promise<void>((resolve) => ends.set(name, resolve));
        if (name === 'first') throw new Error('unreachable');
      });
    const until = (isDone: () => boolean): Promise<unknown> =>
      eventually(() => Promise.resolve(isDone()), Boolean);
    const jobs = [start('first'), start('second'), start('third')];
    await until(() => ends.has('first'));
    expect(begun).to.deep.equal(['first']);
    ends.get('first')?.();
    await until(() => ends.has('second') && begun.filter((each) => each === 'first').length > 2);
    expect(begun).to.not.include('third');
    ends.get('second')?.();
    await until(() => ends.has('third'));
    ends.get('third')?.();
    await Promise.all(jobs.map((job) => job.stop()));
  });

  it('do not begin if they are stopped before', async () => {
    const firstRuns = new FirstRuns();
    let end = (): void => undefined;
    const ended = new Promise<void>((resolve) => {
      end = resolve;
    });
    let hasBegun = false;
    const first = startJob({ name: 'first', pauseMs: 1, log, firstRuns }, () => ended);
    const second = startJob({ name: 'second', pauseMs: 1, log, firstRuns }, () => {
      hasBegun = true;
      return Promise.resolve();
    });
    const stops = [first.stop(), second.stop()];
    end();
    await Promise.all(stops);
    expect(hasBegun).to.equal(false);
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
