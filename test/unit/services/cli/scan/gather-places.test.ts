import { expect } from 'chai';
import { createPlaces } from '../../../../../services/cli/commands/scan/search/gather-places.ts';
import type { CodePlace } from '../../../../../services/cli/commands/scan/search/place.ts';

const aPlace = (changes: Partial<CodePlace> = {}): CodePlace => ({
  name: 'new-basket',
  path: 'a.ts',
  line: 1,
  column: 1,
  kind: 'call',
  text: '',
  ...changes,
});

describe('createPlaces', () => {
  it('keeps calls first, and says how many places it left out', () => {
    const places = createPlaces({ maxPlaces: 3, maxPath: 10 });
    for (const line of [1, 2, 3]) places.add(aPlace({ line, kind: 'mention' }));
    for (const line of [4, 5]) places.add(aPlace({ line }));
    places.add(aPlace({ path: 'a'.repeat(11) }));
    const { places: kept, leftOut } = places.result();
    expect(kept.map(({ line, kind }) => `${line} ${kind}`)).to.deep.equal(['1 mention', '4 call', '5 call']);
    expect(leftOut).to.equal(3);
  });

  it('lets no name crowd out the others', () => {
    const places = createPlaces({ maxPlaces: 10_000, maxPath: 10 });
    for (let line = 1; line <= 20_000; line += 1) places.add(aPlace({ line }));
    places.add(aPlace({ name: 'rare' }));
    const { places: kept, leftOut } = places.result();
    expect(kept.length).to.equal(501);
    expect(kept.at(-1)?.name).to.equal('rare');
    expect(leftOut).to.equal(19_500);
  });
});
