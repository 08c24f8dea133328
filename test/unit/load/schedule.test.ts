import { expect } from 'chai';
import { createClosedSchedule, createOpenSchedule } from '../../../packages/load/schedule.ts';

describe('createOpenSchedule', () => {
  it('spaces requests evenly from the start', () => {
    const schedule = createOpenSchedule(400, 10);
    expect([0, 1, 2, 400].map((index) => schedule.dueAt(index, 0))).to.deep.equal([0, 2.5, 5, 1000]);
  });

  it('holds a request due at its time, however late it is looked at', () => {
    expect(createOpenSchedule(100, 10).dueAt(5, 9000)).to.equal(50);
  });

  it('ends with the last request before the end', () => {
    const schedule = createOpenSchedule(100, 2);
    expect([schedule.dueAt(199, 0), schedule.dueAt(200, 0)]).to.deep.equal([1990, undefined]);
  });

  it('counts what is due, and no more than all', () => {
    const schedule = createOpenSchedule(100, 2);
    expect([0, 9, 10, 1995, 5000].map((ms) => schedule.countDue(ms, 0))).to.deep.equal([1, 1, 2, 200, 200]);
  });
});

describe('createClosedSchedule', () => {
  it('has a request due at any time until the end', () => {
    const schedule = createClosedSchedule(2);
    expect([0, 1999, 2000].map((ms) => schedule.dueAt(7, ms))).to.deep.equal([0, 1999, undefined]);
  });
});
