import { expect } from 'chai';
import fc from 'fast-check';
import { isUrlName } from '#base/schema';
import { whyNoFeature } from '../../../../../services/console/state/paths/feature-name.ts';

describe('why no feature has a name', () => {
  it('is that it cannot have it exactly if the admin API would not accept the name', () => {
    const name = fc.oneof(
      fc.string({ unit: 'binary-ascii' }),
      fc.stringMatching(/^[\w.~-]{0,102}$/),
      fc.constantFrom('.', '..', '...'),
    );
    fc.assert(
      fc.property(name, (given) => {
        expect(whyNoFeature(given).startsWith('No feature can')).to.equal(!isUrlName(given));
      }),
    );
  });
});
