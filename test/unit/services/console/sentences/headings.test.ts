import { expect } from 'chai';
import type { AccountingDocument, Verdicts } from '../../../../../services/console/types.ts';
import * as sentences from '../../../../../services/console/state/sentences/index.ts';

const { accountingSentence, featureSentence, hiddenVerdictsSentence, silentWords } = sentences;
const WHERE = { environment: 'production', time: 'in the last 24 hours' };

describe('the headings of pages', () => {
  it('say for which share of its known results a flag was on, and where and when', () => {
    expect(featureSentence('basket', { yes: 1, no: 3, unknown: 0 }, WHERE)).to.equal(
      'basket was on for 25.0 % in production in the last 24 hours',
    );
    expect(featureSentence('basket', { yes: 1, no: 3, unknown: 9 }, WHERE)).to.include(
      'of the reported results',
    );
    expect(featureSentence('basket', { yes: 0, no: 0, unknown: 9 }, WHERE)).to.match(
      /no result was reported$/,
    );
    expect(
      featureSentence('basket', { yes: 0, no: 0, unknown: 0 }, { ...WHERE, environment: undefined }),
    ).to.equal('basket was not evaluated in all environments in the last 24 hours');
  });

  it('never take the number of listed items for that of all', () => {
    const counts = { inReview: 100, waiting: 0 };
    expect(sentences.changeRequestsSentence({ ...counts, isCut: true })).to.equal(
      'Of the newest 100 none waits for you',
    );
    expect(sentences.changeRequestsSentence({ ...counts, isCut: false })).to.equal('Nothing waits for you');
    expect(sentences.changeRequestsSentence({ ...counts, waiting: undefined, isCut: true })).to.match(
      /^At least 100 are/,
    );
    expect(sentences.archivedSentence(100, false)).to.equal('100 archived flags on this page');
    const cut = { canGo: 1000, isCut: true, beingRemoved: 1, typos: 2, areNamesCut: false };
    expect(sentences.cleanUpSentence({ ...cut, isTooMany: false })).to.equal(
      'At least 1,000 flags can go, 1 is being removed, 2 names are probably typos',
    );
    expect(sentences.cleanUpSentence({ ...cut, isTooMany: true })).to.match(/^About 1,000 flags can go,/);
    const typos = { ...cut, isTooMany: false, canGo: 0, beingRemoved: 0, areNamesCut: true };
    expect(sentences.cleanUpSentence(typos)).to.equal('At least 2 names are probably typos');
  });

  it('say which verdicts are not listed, and of how many the listed ones are the least', () => {
    const silent = (appName: string) => ({ verdict: 'silent_instance', appName });
    const totals = [
      { verdict: 'unknown', total: 1200 },
      { verdict: 'silent_instance', total: 2 },
    ];
    const of = (verdicts: readonly object[]) => ({ verdicts, totals }) as unknown as Verdicts; // what the sentences read
    expect(hiddenVerdictsSentence(of([silent('a'), silent('b')]))).to.equal(
      '1,200 verdicts are not listed: 1,200 unknown.',
    );
    expect(hiddenVerdictsSentence({ verdicts: [], totals: [] })).to.equal('');
    expect(silentWords(of([silent('a'), silent('b')]))).to.equal(', 2 with a silent instance');
    expect(silentWords(of([silent('a')]))).to.equal(', at least 1 with a silent instance');
    expect([silentWords(undefined), silentWords({ verdicts: [], totals: [] })]).to.deep.equal(['', '']);
    const relays = { reporting: 10_000, silent: 2, behind: 3 };
    expect(sentences.relaysSentence({ ...relays, isWhole: false })).to.equal(
      '10,000 relays report, 2 silent, at least 3 with an old configuration',
    );
    expect(sentences.relaysSentence({ ...relays, isWhole: true })).to.match(/, 3 with an old configuration$/);
  });

  it('say whether all is accounted for', () => {
    const of = (members: object) =>
      accountingSentence({
        isBalanced: true,
        differences: [],
        total: { received: 0 },
        sample: null,
        ...members,
      } as unknown as AccountingDocument); // what the sentence reads
    expect([
      of({ total: { received: 1 } }),
      of({}),
      of({ sample: { madeAt: '2026-11-22' } }),
      of({ isBalanced: false, differences: [{}] }),
      of({ isBalanced: false, differences: [{}, {}] }),
    ]).to.deep.equal([
      'Everything received is accounted for',
      'Nothing was received in this time',
      'This is the sample; nothing was received in this time',
      '1 number does not agree',
      '2 numbers do not agree',
    ]);
  });

  it('say what is there if there is nothing to count', () => {
    const nothing = {
      canGo: 0,
      isCut: false,
      isTooMany: false,
      beingRemoved: 0,
      typos: 0,
      areNamesCut: false,
    };
    expect(sentences.cleanUpSentence(nothing)).to.equal('Nothing to clean up');
    expect(sentences.subscriptionsSentence(0, 0)).to.equal('Nobody is told');
    expect(sentences.eventsSentence({ listed: 0, isFiltered: false, age: undefined })).to.equal(
      'Nothing was changed yet',
    );
    expect(sentences.eventsSentence({ listed: 0, isFiltered: true, age: undefined })).to.equal(
      'No change matches',
    );
    expect(sentences.feedbackSentence(0, undefined)).to.equal('0 answers');
    expect(sentences.waitingSentence(0)).to.equal('no message waits to be counted');
  });

  it('count one thing in the singular', () => {
    expect([
      sentences.applicationsSentence(1, ''),
      sentences.applicationSentence('shop', 1),
      sentences.subscriptionsSentence(2, 1),
      sentences.tokensSentence(1, 1),
      sentences.usersSentence(1, 1),
      sentences.accessSentence('shop', 1),
      sentences.strategiesSentence(1, 0),
      sentences.projectsSentence(1),
      sentences.approvalsSentence('More', 1),
      sentences.eventsSentence({ listed: 1, isFiltered: true, age: 0 }),
      sentences.featuresSentence({ all: 1, found: 1, notEvaluated: 1 }),
      sentences.waitingSentence(1),
    ]).to.deep.equal([
      '1 application reports',
      'shop runs in 1 instance',
      '2 subscriptions, and messages of 1 subscription do not arrive',
      '1 API token, 1 expired',
      '1 user, 1 with the role Admin',
      '1 user has a role in shop',
      '1 strategy, 0 custom',
      '1 project',
      'More needs 1 approval',
      '1 change on this page',
      '1 feature, 1 not evaluated for 30 days',
      '1 message waits to be counted',
    ]);
  });
});
