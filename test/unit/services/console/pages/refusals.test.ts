import { expect } from 'chai';
import { REFUSAL_REASONS } from '#core/counting';
import { BODY_PROBLEMS } from '#base/http';
import { bodyProblemOf } from '../../../../../services/console/pages/usage/refused/body-problems.ts';
import { refusedSentence } from '../../../../../services/console/state/sentences/index.ts';
import { reasonOf } from '../../../../../services/console/pages/usage/refused/refusal-reasons.ts';

const TODAY = '2026-11-22';
const aRefusal = (members = {}) => ({ day: TODAY, kind: 'metric', count: 200, ...members });

describe('refusals in words', () => {
  for (const reason of REFUSAL_REASONS)
    it(`advise what to do about ${reason}`, () => {
      expect(reasonOf(reason).advice).to.not.equal(reasonOf('unheard_of').advice);
    });

  for (const [title, refusals, isCut, expected] of [
    ['nothing', [], false, 'Nothing was refused'],
    ['yesterday only', [aRefusal({ day: '2026-11-21' })], false, 'Nothing was refused today'],
    ['metrics', [aRefusal(), aRefusal({ count: 1 })], false, '201 metrics were not counted today'],
    ['one metric', [aRefusal({ count: 1 })], false, '1 metric was not counted today'],
    [
      'applications',
      [aRefusal({ kind: 'application' })],
      false,
      '200 applications were not registered today',
    ],
    ['a list that was cut today', [aRefusal()], true, 'At least 200 metrics were not counted today'],
  ] as const)
    it(`answer for ${title}`, () => {
      expect(refusedSentence({ refusals, rejectedBodies: [], total: 0, today: TODAY, isCut })).to.equal(
        expected,
      );
    });

  it('answer for bodies that were not accepted, too', () => {
    const answerOf = (refusals: readonly ReturnType<typeof aRefusal>[], day: string): string =>
      refusedSentence({
        refusals,
        rejectedBodies: [{ day, count: 1 }],
        total: 1,
        today: TODAY,
        isCut: false,
      });
    expect(answerOf([], TODAY)).to.equal('1 body was not accepted today');
    expect(answerOf([aRefusal()], TODAY)).to.equal(
      '200 metrics were not counted, and 1 body was not accepted today',
    );
    expect(answerOf([], '2026-11-21')).to.equal('Nothing was refused today');
  });

  for (const problem of BODY_PROBLEMS)
    it(`advise what to do about bodies with the problem ${problem}`, () => {
      expect(bodyProblemOf(problem).title).to.not.equal(problem.replaceAll('_', ' '));
    });
});
