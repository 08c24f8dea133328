import { expect } from 'chai';
import { usageIn } from '../../../../../services/console/pages/flags/features/row-usage.ts';
import type { Feature } from '../../../../../services/console/types.ts';
import {
  type Item,
  filterItems,
  isUnseenFor,
  itemsOf,
} from '../../../../../services/console/pages/flags/features/select.ts';

const NOW = Date.parse('2026-11-22T12:30:00Z');

describe('usageIn', () => {
  it('adds up the environments of a feature, and keeps what is unknown', () => {
    const counts = { previous: null, feature: 'basket' };
    const usage = usageIn(
      {
        interval: 'hour',
        timezone: 'UTC',
        knownFrom: null,
        isLastComplete: false,
        from: '2026-11-22T10:00:00.000Z',
        to: '2026-11-22T13:00:00.000Z',
        completeUntil: '2026-11-22T12:00:00.000Z',
        starts: ['2026-11-22T10:00:00.000Z', '2026-11-22T11:00:00.000Z', '2026-11-22T12:00:00.000Z'],
        series: [
          { ...counts, group: 'production', total: { yes: 3, no: 4 }, yes: [null, 1, 2], no: [null, 0, 4] },
          { ...counts, group: null, total: { yes: 5, no: 0 }, yes: [null, 5, 0], no: [null, 0, 0] },
          { ...counts, feature: 'other', group: 'production', total: { yes: 9, no: 9 }, yes: [], no: [] },
        ],
      },
      'basket',
    );
    expect(usage.total).to.equal(12);
    expect(usage.counts).to.deep.equal([null, 6, 6]);
    expect(usage.isLastGrowing).to.equal(true);
    expect([...usage.environments]).to.deep.equal([['production', { yes: 3, no: 4 }]]);
  });
});

const itemOf = (members: Partial<Feature>): Item | undefined =>
  itemsOf(
    [
      {
        name: 'basket',
        project: 'default',
        type: 'release',
        description: null,
        stale: false,
        owner: null,
        tags: [],
        guards: [],
        impressionData: false,
        archived: false,
        archivedAt: null,
        favorite: false,
        source: 'flagmeter',
        provider: null,
        createdBy: null,
        environments: [],
        createdAt: '2026-10-01T00:00:00Z',
        lastSeenAt: null,
        ...members,
      },
    ],
    new Map(),
  )[0];

describe('isUnseenFor', () => {
  for (const [createdAt, lastSeenAt, expected] of [
    ['2026-11-01T00:00:00Z', null, false],
    ['2026-10-01T00:00:00Z', null, true],
    ['2026-10-01T00:00:00Z', '2026-10-23T12:00:00Z', false],
    ['2026-10-01T00:00:00Z', '2026-10-23T11:00:00Z', true],
  ] as const)
    it(`is ${expected} for one of ${createdAt}, seen ${lastSeenAt ?? 'never'}`, () => {
      const item = itemOf({ createdAt, lastSeenAt });
      expect(item && isUnseenFor(30, item, NOW)).to.equal(expected);
    });
});

describe('filterItems', () => {
  const items = [
    itemOf({ name: 'one', owner: 'Checkout team', tags: ['team:checkout', 'size:small'] }),
    itemOf({ name: 'two', owner: null, tags: ['team:checkout'] }),
  ].filter((item) => item !== undefined);
  const namesFor = (query: Readonly<Record<string, string>>) =>
    filterItems(items, query, () => false).map(({ name }) => name);

  it('searches name, description, owner and tags, and does not mind blanks', () => {
    expect(namesFor({ q: ' ONE ' })).to.deep.equal(['one']);
    expect(namesFor({ q: 'checkout team' })).to.deep.equal(['one', 'two']);
    expect(namesFor({ q: 'small team' })).to.deep.equal(['one']);
    expect(namesFor({ q: 'one two' })).to.deep.equal([]);
  });

  it('leaves features of an owner or with a tag', () => {
    expect(namesFor({})).to.deep.equal(['one', 'two']);
    expect(namesFor({ owner: 'Checkout team' })).to.deep.equal(['one']);
    expect(namesFor({ tag: 'team:checkout' })).to.deep.equal(['one', 'two']);
    expect(namesFor({ tag: 'size:small' })).to.deep.equal(['one']);
    expect(namesFor({ tag: 'size' })).to.deep.equal([]);
  });
});
