import { expect } from 'chai';
import type { Steps } from '#core/counting';
import { turnsUntil } from '../../../support/stack/measures/turns.ts';
import { LongBodies } from '../../../../services/ingest/bodies/long-bodies.ts';

const STEPS = 20;
/** Of CPU time, more than a piece may take. */
const STEP_MS = 6;

/** Work whose steps each take longer than a piece. */
function aWork(name: string, log: string[]) {
  return function* work(): Steps<string> {
    for (let step = 0; step < STEPS; step += 1) {
      log.push(name);
      const end = performance.now() + STEP_MS;
      while (performance.now() < end);
      yield;
    }
    return name;
  };
}

describe('the work on long bodies', () => {
  const never = new AbortController().signal;

  it('gives the event loop back after each piece', async () => {
    const working = new LongBodies().work('one', aWork('a', []), never);
    expect(await turnsUntil(working)).to.be.at.least(STEPS);
    expect(await working).to.equal('a');
  });

  it('is on one body at a time, from token to token', async () => {
    const log: string[] = [];
    const long = new LongBodies();
    const bodies = [
      ['greedy', 'a'],
      ['greedy', 'b'],
      ['greedy', 'c'],
      ['honest', 'd'],
    ] as const;
    const names = await Promise.all(bodies.map(([token, name]) => long.work(token, aWork(name, log), never)));
    expect(names).to.deep.equal(['a', 'b', 'c', 'd']);
    const order = log.filter((name, index) => name !== log[index - 1]);
    expect(order).to.deep.equal(['a', 'b', 'd', 'c']);
  });

  it('ends when its client leaves, and goes on with the next body', async () => {
    const log: string[] = [];
    const long = new LongBodies();
    const leaving = new AbortController();
    const left = long.work('one', aWork('left', log), leaving.signal);
    const neverBegun = long.work('one', aWork('waiting', log), leaving.signal);
    const next = long.work('one', aWork('next', log), never);
    while (log.length < 2) await new Promise(setImmediate);
    leaving.abort();
    expect(await Promise.allSettled([left, neverBegun])).to.have.nested.property('[0].status', 'rejected');
    expect(await next).to.equal('next');
    expect(log.filter((name) => name === 'left')).to.have.lengthOf.below(STEPS);
    expect(log).not.to.include('waiting');
  });

  it('goes on after a body that cannot be read', async () => {
    const long = new LongBodies();
    const failing = long.work(
      'one',
      // oxlint-disable-next-line require-yield -- it fails before
      function* work(): Steps<string> {
        throw new Error('not readable');
      },
      never,
    );
    const next = long.work('one', aWork('next', []), never);
    const [failed] = await Promise.allSettled([failing]);
    expect(failed).to.have.nested.property('reason.message', 'not readable');
    expect(await next).to.equal('next');
  });
});
