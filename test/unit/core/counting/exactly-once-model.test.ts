import { expect } from 'chai';
import { aLogMessage, aMetric } from '../../../support/builders/builders.ts';
import { createModel } from '../../../support/model/exactly-once-model.ts';
import { ALL_RULES, type Rules } from '../../../support/model/exactly-once-state.ts';
import { type Exploration, explore } from '../../../support/model/state-space.ts';

/** Batch a, batch b, batch a again, batch c. Each has its own feature, with one yes. */
const LOG = ['a', 'b', 'a', 'c'].map((batchId, offset) =>
  aLogMessage({ offset, batchId, metrics: [aMetric({ featureName: batchId, yes: 1 })] }),
);

const SHORT_LOG = LOG.slice(0, 3);
const ONE_MESSAGE = LOG.slice(0, 1);

const BROKEN: readonly (readonly [title: string, rules: Partial<Rules>, violation: RegExp])[] = [
  ['the intent is not written', { writesIntent: false }, /^counted twice/],
  ['the intent is ignored', { heedsIntent: false }, /^counted twice/],
  ['the INSERT carries no token', { sendsToken: false }, /^counted twice/],
  ['the offset is committed before the INSERT', { insertsBeforeCommit: false }, /^lost/],
  ['a stale generation may commit', { brokerChecksOwner: false }, /^the committed offset goes back/],
  ['an unknown outcome counts as success', { repeatsInDoubt: false }, /^lost/],
  [
    'a worker loads the batches of its own block',
    { loadsEarlierBlocksOnly: false },
    /^one token for two contents/,
  ],
  ['a worker forgets the blocks that it stored', { remembersBlocks: false }, /^counted twice/],
];

/** Rules that matter only if ClickHouse is killed during an INSERT, with the necessary number of kills. */
const BROKEN_BY_KILLS: readonly (readonly [
  title: string,
  options: { kills: number; rules: Partial<Rules> },
  violation: RegExp,
])[] = [
  [
    'a block is completed without reading the markers',
    { kills: 1, rules: { leavesOutWhatIsMarked: false } },
    /^counted twice/,
  ],
  [
    'a block is completed only with its own token',
    { kills: 1, rules: { triesAnotherToken: false, triesFurtherTokens: false } },
    /^lost/,
  ],
  [
    'the second token is the last one, and was also kept without its rows',
    { kills: 2, rules: { triesFurtherTokens: false } },
    /^lost/,
  ],
  [
    'the second token contains a start time of the server that varies by a second',
    { kills: 1, rules: { agreesOnTokens: false } },
    /^counted twice/,
  ],
  [
    'an INSERT may run in a later life of the server than the reading of the markers',
    { kills: 1, rules: { insertsWithinOneLife: false } },
    /^counted twice/,
  ],
  [
    'a worker opens the session of an INSERT after the intent',
    { kills: 1, rules: { opensSessionBeforeIntent: false } },
    /^counted twice/,
  ],
];

type Options = { readonly log: typeof LOG; readonly rules: Partial<Rules>; readonly kills?: number };

function exploreWith({ rules, ...options }: Options): Exploration {
  return explore(createModel({ ...options, rules: { ...ALL_RULES, ...rules } }));
}

describe('the protocol of the worker, in every order of crashes, zombies and lost answers', () => {
  let found: Exploration;

  before('visit every state', () => {
    found = explore(createModel({ log: LOG, rules: ALL_RULES }));
  });

  it('counts every batch exactly once', () => {
    expect(found.violation).to.equal(undefined);
  });

  it('visits more than 15,000 states, some of them final', () => {
    expect(found.states).to.be.above(15_000);
    expect(found.finals).to.be.above(0);
  });

  it('can end from every state', () => {
    expect(found.stuck).to.equal(0);
  });

  for (const [title, rules, violation] of BROKEN) {
    it(`is violated if ${title}`, () => {
      expect(exploreWith({ log: LOG, rules }).violation).to.match(violation);
    });
  }

  it('counts twice, not only goes back, if a stale generation may commit', () => {
    const model = createModel({ log: SHORT_LOG, rules: { ...ALL_RULES, brokerChecksOwner: false } });
    const blind = explore({ ...model, stepViolation: () => undefined });
    expect(blind.violation).to.match(/^counted twice/);
  });

  it('stops for good if a worker raises the alarm for a partition that it has lost', () => {
    const { stuck } = exploreWith({ log: SHORT_LOG, rules: { alarmsAsOwnerOnly: false } });
    expect(stuck).to.be.above(0);
  });

  it('reports the shortest path to a violation', () => {
    const { violation } = exploreWith({ log: SHORT_LOG, rules: { sendsToken: false } });
    expect(violation?.split('\n')).to.have.length(9);
  });
});

describe('the protocol of the worker, with a ClickHouse that is killed during INSERTs', () => {
  it('counts every batch exactly once, and can end from every state', () => {
    const { violation, stuck, finals, states } = exploreWith({ log: ONE_MESSAGE, rules: {}, kills: 2 });

    expect(violation).to.equal(undefined);
    expect(stuck).to.equal(0);
    expect(finals).to.be.above(0);
    expect(states).to.be.above(70_000);
  });

  for (const [title, options, violation] of BROKEN_BY_KILLS) {
    it(`is violated if ${title}`, () => {
      expect(exploreWith({ log: ONE_MESSAGE, ...options }).violation).to.match(violation);
    });
  }
});
