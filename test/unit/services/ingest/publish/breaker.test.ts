import { expect } from 'chai';
import { Breaker } from '../../../../../services/ingest/publish/breaker.ts';

type Outcome = Parameters<Breaker['record']>[0];

/**
 * Outcomes with their moments, and whether the breaker is open at moment 5000. It tolerates rejections for 3000 ms.
 */
const CASES: readonly {
  title: string;
  outcomes: readonly (readonly [Outcome, number])[];
  isOpen: boolean;
}[] = [
  { title: 'nothing has happened', outcomes: [], isOpen: false },
  { title: 'one rejection just came', outcomes: [['not-stored', 4990]], isOpen: false },
  {
    title: 'rejections continue for just under the limit',
    outcomes: [
      ['not-stored', 2001],
      ['not-stored', 4900],
    ],
    isOpen: false,
  },
  {
    title: 'rejections continue for the limit',
    outcomes: [
      ['not-stored', 2000],
      ['not-stored', 4900],
    ],
    isOpen: true,
  },
  {
    title: 'a message was stored in between',
    outcomes: [
      ['not-stored', 1000],
      ['stored', 2500],
      ['not-stored', 2600],
    ],
    isOpen: false,
  },
  {
    title: 'an outcome was unknown in between',
    outcomes: [
      ['not-stored', 1000],
      ['unknown', 2500],
      ['not-stored', 2600],
    ],
    isOpen: false,
  },
  {
    title: 'outcomes are unknown for ever',
    outcomes: [
      ['unknown', 0],
      ['unknown', 4900],
    ],
    isOpen: false,
  },
  {
    title: 'it was open and a probe is unknown',
    outcomes: [
      ['not-stored', 0],
      ['unknown', 4900],
    ],
    isOpen: false,
  },
  {
    title: 'it was open and a probe is stored',
    outcomes: [
      ['not-stored', 0],
      ['stored', 4900],
    ],
    isOpen: false,
  },
];

describe('Breaker', () => {
  for (const { title, outcomes, isOpen } of CASES) {
    it(`is ${isOpen ? 'open' : 'closed'} when ${title}`, () => {
      const breaker = new Breaker(3000);
      for (const [outcome, at] of outcomes) breaker.record(outcome, at);
      expect(breaker.isOpen(5000)).to.equal(isOpen);
    });
  }
});
