import { expect } from 'chai';
import { addressOf } from '../../../../packages/base/http/addresses/address.ts';

const ADDRESSES: readonly (readonly [remote: string | undefined, address: string])[] = [
  ['203.0.113.7', '203.0.113.7'],
  ['::ffff:203.0.113.7', '203.0.113.7'],
  ['2001:db8:1:2:3:4:5:6', '2001:db8:1:2'],
  ['2001:db8:1:2::6', '2001:db8:1:2'],
  ['2001:db8::6', '2001:db8:0:0'],
  ['::1', '0:0:0:0'],
  ['2001:db8::', '2001:db8:0:0'],
  [undefined, ''],
];

describe('the address of a client', () => {
  for (const [remoteAddress, address] of ADDRESSES)
    it(`of ${String(remoteAddress)} is ${address || 'empty'}`, () => {
      expect(addressOf(remoteAddress)).to.equal(address);
    });
});
