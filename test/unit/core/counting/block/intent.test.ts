import { expect } from 'chai';
import fc from 'fast-check';
import { decodeIntent, encodeIntent } from '#core/counting';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';

const UNKNOWN = [
  'x',
  ' ',
  'flagmeter-intent:2:5',
  'flagmeter-intent:2:5:6:7',
  'flagmeter-intent:3:5:6',
  'flagmeter-intent:2:-5:6',
  'flagmeter-intent:2:5:6.5',
  'flagmeter-intent:2:5:6\n',
  'flagmeter-intent:2::6',
  'a flagmeter-intent:2:5:6',
  `flagmeter-intent:2:${'9'.repeat(20)}:6`,
];

describe('encodeIntent and decodeIntent', () => {
  it('preserve any Kafka offset and any time', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: 0n, max: 2n ** 63n - 1n }), fc.maxSafeNat(), (to, at) => {
        const intent = { to, at };
        expect(decodeIntent(encodeIntent(intent))).to.deep.equal(intent);
      }),
    );
  });

  it('stay far below the 4,096 bytes that a broker accepts as metadata', () => {
    expect(encodeIntent({ to: 2n ** 63n - 1n, at: RECEIVED_AT })).to.have.length.below(100);
  });
});

describe('decodeIntent', () => {
  for (const nothing of [null, '']) {
    it(`finds no intent in ${JSON.stringify(nothing)}`, () => {
      expect(decodeIntent(nothing)).to.equal(undefined);
    });
  }

  for (const metadata of UNKNOWN) {
    it(`rejects ${JSON.stringify(metadata)}`, () => {
      expect(decodeIntent(metadata)).to.equal('unknown');
    });
  }

  it('rejects any other text', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), (metadata) => {
        expect(decodeIntent(metadata)).to.equal('unknown');
      }),
    );
  });
});
