import { readFileSync, readdirSync } from 'node:fs';
import path from 'node:path';
import { expect } from 'chai';
import * as sentences from '../../../../../services/console/state/sentences/index.ts';

const CONSOLE = 'services/console';
const FOLDER = path.join('state', 'sentences');
/** What writes words after a count: `formatPlural`, or a count in a template. */
const SENTENCE = /formatPlural|\$\{format(Count|Share|Age)\([^`]*?\}[^`]* [a-z]{2}/;

describe('the sentences about numbers', () => {
  it('stand in one folder', () => {
    const elsewhere = readdirSync(CONSOLE, { recursive: true, encoding: 'utf8' }).filter(
      (file) =>
        /\.tsx?$/.test(file) &&
        !file.startsWith(FOLDER) &&
        SENTENCE.test(readFileSync(path.join(CONSOLE, file), 'utf8')),
    );
    expect(elsewhere).to.deep.equal([]);
  });

  it('say of a list how many of its items are shown, and of how many', () => {
    expect(sentences.cutSentence(1000, 1217, 'applications')).to.equal(
      'The first 1,000 of 1,217 applications.',
    );
    expect(sentences.cutSentence(1000, undefined, 'flags')).to.equal('The first 1,000 flags.');
    expect(sentences.in30DaysTitle('Too old', 1204)).to.equal('Too old: 1,204 in 30 days');
    expect(sentences.in30DaysTitle('Too old', 3, { isCut: true })).to.equal('Too old: at least 3 in 30 days');
    expect(sentences.instancesTitle(100, 10_000)).to.equal('The 100 newest of 10,000 instances');
    expect(sentences.instancesTitle(3, 3)).to.equal('Instances');
    expect(sentences.placesSentence({ total: 1204, listed: 1000, repositories: 2 })).to.equal(
      '1,204 places; 1,000 of them, in 2 repositories, are listed',
    );
  });

  it('say of a flag whom a change of it reaches', () => {
    expect(sentences.reachedSentence(0, 'production')).to.equal(
      'Nobody evaluated it in production in the last complete hour.',
    );
    expect(sentences.reachedSentence(1204, 'production')).to.equal(
      'It was evaluated 1,204 times in production in the last complete hour, by:',
    );
    expect(sentences.archiveSentence(0)).to.equal('No application evaluates them.');
    expect(sentences.archiveSentence(1)).to.match(/^Applications still evaluate them 1 time a day, /);
  });

  it('never know what nobody asked', () => {
    expect(sentences.knownToWords(0, true)).to.equal('unknown');
    expect(sentences.knownToWords(3, true)).to.equal('at least 3 applications');
    expect(sentences.knownToWords(0, false)).to.equal('0 applications');
  });

  it('say when something happened last, in the largest unit', () => {
    expect([0, 3_600_000, 2 * 86_400_000].map(sentences.lastSeenWords)).to.deep.equal([
      'this hour',
      '1 h ago',
      '2 d ago',
    ]);
    expect(sentences.tokensInUseSentence(1, 61_000)).to.equal(
      '1 token of relays and SDKs used in the last hour, the last one 1 min ago',
    );
    expect([sentences.silentForWords(0), sentences.usedWords(1000)]).to.deep.equal([
      'silent for 0 s',
      'used 1 s ago',
    ]);
    expect([0, 2].map(sentences.silentTokensWords)).to.deep.equal(['', ', 2 silent']);
  });

  it('count one thing in the singular', () => {
    expect([
      sentences.filtersWords(1),
      sentences.otherFeaturesSentence(1),
      sentences.archiveRequestSentence(1),
      sentences.deadLettersSentence(1),
      sentences.importedSentence({ received: 1, counted: 1, refused: 0 }),
      sentences.attemptsWords(1),
      sentences.evaluationsWords(1),
      sentences.coverageSentence(9, 10, 1),
      sentences.codeLeftSentence(1, true),
    ]).to.deep.equal([
      '1 filter on',
      'And 1 other feature.',
      'A change request asks to archive 1 flag.',
      'The worker could not decode 1 message.',
      '1 row = 1 counted + 0 refused.',
      ' after 1 attempt',
      '1 evaluation',
      'Counts of 90.0 % of the time of 1 instance arrived in the last 24 hours',
      'Code still there: 1 place',
    ]);
  });

  it('say nothing of nothing', () => {
    expect([sentences.attemptsWords(0), sentences.leftOutSentence(0)]).to.deep.equal(['', '']);
    expect(sentences.codeLeftSentence(0, true)).to.equal('No code names it: archive it');
  });
});
