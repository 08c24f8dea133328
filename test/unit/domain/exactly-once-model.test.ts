import { expect } from 'chai';
import { aLogMessage, aMetric } from '../../support/builders.ts';
import { createModel } from '../../support/exactly-once-model.ts';
import { ALL_RULES, type Rules } from '../../support/exactly-once-state.ts';
import { type Exploration, explore } from '../../support/state-space.ts';

/** Batch a, batch b, batch a again, batch c; each is of its own feature, with one yes. */
const LOG = ['a', 'b', 'a', 'c'].map((batchId, offset) =>
  aLogMessage({ offset, batchId, metrics: [aMetric({ featureName: batchId, yes: 1 })] }),
);

const SHORT_LOG = LOG.slice(0, 3);

const BROKEN: readonly (readonly [title: string, rules: Partial<Rules>, violation: RegExp])[] = [
  ['the intent is not written', { writesIntent: false }, /^counted twice/],
  ['the intent is not heeded', { heedsIntent: false }, /^counted twice/],
  ['the INSERT carries no token', { sendsToken: false }, /^counted twice/],
  ['the offset is committed before the INSERT', { insertsBeforeCommit: false }, /^lost/],
  ['a stale generation may commit', { brokerChecksOwner: false }, /^the committed offset goes back/],
  ['doubt is taken for success', { repeatsInDoubt: false }, /^lost/],
  [
    'a worker loads the batches of its own block',
    { loadsEarlierBlocksOnly: false },
    /^one token for two contents/,
  ],
  ['a worker forgets the blocks that it stored', { remembersBlocks: false }, /^counted twice/],
];

describe('the protocol of the worker, in every order of crashes, zombies and lost answers', () => {
  let found: Exploration;

  before('visit every state', () => {
    found = explore(createModel(LOG, ALL_RULES));
  });

  it('counts every batch exactly once', () => {
    expect(found.violation).to.equal(undefined);
  });

  it('visits more than 15,000 states, some of them final', () => {
    expect(found.states).to.be.above(15_000);
    expect(found.finals).to.be.above(0);
  });

  it('comes to an end from every state', () => {
    expect(found.stuck).to.equal(0);
  });

  for (const [title, rules, violation] of BROKEN) {
    it(`is found broken when ${title}`, () => {
      expect(explore(createModel(LOG, { ...ALL_RULES, ...rules })).violation).to.match(violation);
    });
  }

  it('is found to count twice, not only to go back, when a stale generation may commit', () => {
    const model = createModel(SHORT_LOG, { ...ALL_RULES, brokerChecksOwner: false });
    const blind = explore({ ...model, violation: (state) => model.violation(state, state) });
    expect(blind.violation).to.match(/^counted twice/);
  });

  it('is found to stop for good when a worker raises the alarm over a partition that it has lost', () => {
    const { stuck } = explore(createModel(SHORT_LOG, { ...ALL_RULES, alarmsAsOwnerOnly: false }));
    expect(stuck).to.be.above(0);
  });

  it('tells the shortest way to a violation', () => {
    const { violation } = explore(createModel(SHORT_LOG, { ...ALL_RULES, sendsToken: false }));
    expect(violation?.split('\n')).to.have.length(9);
  });
});
