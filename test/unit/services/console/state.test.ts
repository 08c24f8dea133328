import { expect } from 'chai';
import fc from 'fast-check';
import { formatAge, formatShare, formatTime } from '../../../../services/console/state/format.ts';
import { formatSentence } from '../../../../services/console/state/sentences/index.ts';
import { subjectOf } from '../../../../services/console/state/events/event-subject.ts';
import { nextOrder, parseOrder, sortBy } from '../../../../services/console/state/order.ts';
import { formatRoute, parseRoute, tokenIn } from '../../../../services/console/state/app/route.ts';
import { worthDoing } from '../../../../services/console/state/verdicts/verdict-kinds.ts';

describe('route', () => {
  it('survives the URL, whatever the names', () => {
    const text = fc.string({ unit: 'grapheme', minLength: 1 });
    fc.assert(
      fc.property(fc.array(text), fc.dictionary(fc.stringMatching(/^[a-z]+$/), text), (parts, given) => {
        const query = { ...given };
        expect(parseRoute(formatRoute({ parts, query }))).to.deep.equal({ parts, query });
      }),
    );
  });

  it('keeps parts that cannot be decoded', () => {
    expect(parseRoute('#/features/100%').parts).to.deep.equal(['features', '100%']);
  });

  it('reads the token of a link and of nothing else', () => {
    expect(tokenIn('#token=*%3A*.secret')).to.equal('*:*.secret');
    expect(tokenIn('#/features?token=x')).to.equal(undefined);
  });
});

describe('the subject of an event', () => {
  const nothing = { data: null, preData: null, project: null };

  it('is the name in its data, the former name of what is gone, or the project', () => {
    expect(subjectOf({ ...nothing, data: { id: 7, appName: 'shop' } })).to.equal('shop');
    expect(subjectOf({ ...nothing, preData: { name: 'gone' }, project: 'default' })).to.equal('gone');
    expect(subjectOf({ ...nothing, data: { name: 12 }, project: 'default' })).to.equal('default');
    expect(subjectOf(nothing)).to.equal(undefined);
  });
});

describe('format', () => {
  it('separates thousands in counts, and in nothing else', () => {
    const sentence =
      'Each of its 17893838 evaluations of 20261122 in 2026 was enabled, 812 times, 1103637 times.';
    expect(formatSentence(sentence, 'UTC')).to.equal(
      'Each of its 17,893,838 evaluations of 20261122 in 2026 was enabled, 812 times, 1,103,637 times.',
    );
  });

  it('separates thousands in the sentence of a harmful rollout', () => {
    const sentence =
      'Since 2026-11-20 10:00 the arm enabled has 11570 errors in 1894033 evaluations, and 2026 has 13665 in 3425253. Chance ...';
    expect(formatSentence(sentence, 'UTC')).to.equal(
      'Since 2026-11-20 10:00 the arm enabled has 11,570 errors in 1,894,033 evaluations, and 2026 has 13,665 in 3,425,253. Chance ...',
    );
  });

  for (const [part, whole, expected] of [
    [0, 0, '–'],
    [0, 10, '0 %'],
    [10, 10, '100 %'],
    [124, 1000, '12.4 %'],
    [1, 100_000, '< 0.1 %'],
    [99_999, 100_000, '> 99.9 %'],
  ] as const)
    it(`shows ${part} of ${whole} as ${expected}`, () => {
      expect(formatShare(part, whole)).to.equal(expected);
    });

  it('shows times in UTC', () => {
    expect(formatTime('2026-11-22T09:12:59.000Z', 'UTC')).to.equal('2026-11-22 09:12');
  });

  it('shows ages in their largest unit', () => {
    expect([0, 59_999, 60_000, 7_200_000, 172_800_000].map(formatAge)).to.deep.equal([
      '0 s',
      '59 s',
      '1 min',
      '2 h',
      '2 d',
    ]);
  });
});

describe('order', () => {
  it('goes up, down and back', () => {
    const first = nextOrder(undefined, 'name');
    const second = nextOrder(parseOrder(first), 'name');
    expect([first, second, nextOrder(parseOrder(second), 'name')]).to.deep.equal(['name', '-name', '']);
  });

  it('sorts numbers as numbers and keeps equal items in place', () => {
    const items = [
      { id: 'a', count: 10 },
      { id: 'b', count: 9 },
      { id: 'c', count: 10 },
    ];
    const sorted = sortBy(items, { by: 'count', direction: 'down' }, ({ count }) => count);
    expect(sorted.map(({ id }) => id)).to.deep.equal(['a', 'c', 'b']);
  });
});

describe('worthDoing', () => {
  it('leaves out what needs nobody, and puts the most urgent first', () => {
    const verdicts = ['new', 'silent', 'cliff', 'from the future'].map((verdict) => ({ verdict }));
    expect(worthDoing(verdicts).map(({ verdict }) => verdict)).to.deep.equal(['cliff', 'silent']);
  });
});
