import { expect } from 'chai';
import {
  createClosedSchedule,
  createOpenSchedule,
} from '../../../../packages/tooling/traffic/load/schedule.ts';

describe('createOpenSchedule', () => {
  it('spaces requests evenly from the start', () => {
    const schedule = createOpenSchedule(400, 10);
    expect([0, 1, 2, 400].map((index) => schedule.dueAt(index, 0))).to.deep.equal([0, 2.5, 5, 1000]);
  });

  it('returns the due time of a request, however late it is asked', () => {
    expect(createOpenSchedule(100, 10).dueAt(5, 9000)).to.equal(50);
  });

  it('ends with the last request before the end', () => {
    const schedule = createOpenSchedule(100, 2);
    expect([schedule.dueAt(199, 0), schedule.dueAt(200, 0)]).to.deep.equal([1990, undefined]);
  });

  it('counts due requests, at most the total', () => {
    const schedule = createOpenSchedule(100, 2);
    expect([0, 9, 10, 1995, 5000].map((ms) => schedule.countDue(ms, 0))).to.deep.equal([1, 1, 2, 200, 200]);
  });
});

describe('createClosedSchedule', () => {
  it('always has a due request until the end', () => {
    const schedule = createClosedSchedule(2);
    expect([0, 1999, 2000].map((ms) => schedule.dueAt(7, ms))).to.deep.equal([0, 1999, undefined]);
  });
});
