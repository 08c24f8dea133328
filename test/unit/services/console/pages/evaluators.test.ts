import { expect } from 'chai';
import { evaluatorsIn } from '../../../../../services/console/pages/flags/feature/switch/evaluators.ts';
import { applicationsIn, splitUsage } from '../../../../../services/console/state/usage.ts';

const ANSWER = {
  interval: 'hour',
  timezone: 'UTC',
  starts: ['2026-11-22T09:00:00.000Z', '2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z'],
  to: '2026-11-22T12:00:00.000Z',
  knownFrom: '2026-01-01T00:00:00.000Z',
  completeUntil: '2026-11-22T11:00:00.000Z',
  series: [
    { group: 'shop', yes: [9, 3, 1], no: [9, 2, 1], unknown: [0, 0, 0] },
    { group: 'till', yes: [0, 0, 5], no: [0, 0, 0], unknown: [0, 7, 0] },
    { group: 'gone', yes: [8, 0, 0], no: [0, 0, 0], unknown: [0, 0, 0] },
    { group: null, yes: [0, 1, 1], no: [0, 0, 0], unknown: [0, 0, 0] },
  ],
} as const;

describe('who evaluates a flag now', () => {
  it('is who did in the last complete hour, the most first, with and without a known result', () => {
    expect(evaluatorsIn(ANSWER)).to.deep.equal({
      evaluations: 13,
      applications: [
        { name: 'till', evaluations: 7 },
        { name: 'shop', evaluations: 5 },
      ],
      others: 1,
    });
  });

  it('is nobody without counts, and unknown without a complete hour', () => {
    expect(evaluatorsIn({ ...ANSWER, series: [] })).to.deep.equal({
      evaluations: 0,
      applications: [],
      others: 0,
    });
    expect(evaluatorsIn({ ...ANSWER, completeUntil: ANSWER.starts[0] })).to.equal(undefined);
  });
});

describe('applicationsIn', () => {
  it('names all with evaluations in the window, the most first, and says that there are others', () => {
    expect(applicationsIn(splitUsage(ANSWER, Date.parse(ANSWER.starts[0])))).to.deep.equal({
      names: ['shop', 'till', 'gone'],
      hasOthers: true,
    });
  });
});
