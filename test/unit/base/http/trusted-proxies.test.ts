import type { Socket } from 'node:net';
import { expect } from 'chai';
import {
  addressesOf,
  createTrustedProxies,
} from '../../../../packages/base/http/addresses/trusted-proxies.ts';

const PROXIES = ['10.0.0.0/8', '192.0.2.1', 'fd00::/8'];

/** Connection, X-Forwarded-For, and the address of the client. */
const REQUESTS: readonly (readonly [remote: string, forwarded: string | undefined, client: string])[] = [
  ['10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['::ffff:10.1.2.3', '203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', '::ffff:203.0.113.7', '203.0.113.7'],
  ['fd00::1', '2001:db8::7', '2001:db8::7'],
  ['192.0.2.1', '203.0.113.7, 10.9.9.9', '203.0.113.7'],
  // The client wrote the left part itself.
  ['10.1.2.3', '198.51.100.1, 203.0.113.7', '203.0.113.7'],
  ['10.1.2.3', '10.4.4.4, 203.0.113.7,10.9.9.9', '203.0.113.7'],
  // A stranger connects directly.
  ['203.0.113.7', '198.51.100.1', '203.0.113.7'],
  ['192.0.2.2', '198.51.100.1', '192.0.2.2'],
  // Nothing that could be an address: the last hop that is certain.
  ['10.1.2.3', undefined, '10.1.2.3'],
  ['10.1.2.3', '', '10.1.2.3'],
  ['10.1.2.3', 'unknown', '10.1.2.3'],
  ['10.1.2.3', '198.51.100.1, not an address', '10.1.2.3'],
  ['10.1.2.3', '198.51.100.1, 203.0.113.7:4711', '10.1.2.3'],
  ['10.1.2.3', '10.5.5.5', '10.5.5.5'],
];

describe('addressesOf', () => {
  const proxies = createTrustedProxies(PROXIES);
  if (proxies === undefined) throw new Error('there are proxies');

  for (const [remoteAddress, forwarded, client] of REQUESTS)
    it(`is ${client} for a connection of ${remoteAddress} with X-Forwarded-For: ${forwarded ?? 'none'}`, () => {
      const headers = forwarded === undefined ? {} : { 'x-forwarded-for': forwarded };
      const socket: Pick<Socket, 'remoteAddress'> = { remoteAddress };
      expect(addressesOf({ headers, socket }, proxies)[0]).to.equal(client);
    });

  it('keeps the proxies after the client, and nothing that the client wrote', () => {
    const headers = { 'x-forwarded-for': '198.51.100.1, 203.0.113.7,::ffff:10.9.9.9' };
    const socket = { remoteAddress: '::ffff:10.1.2.3' };
    expect(addressesOf({ headers, socket }, proxies)).to.deep.equal(['203.0.113.7', '10.9.9.9', '10.1.2.3']);
    expect(addressesOf({ headers, socket }, undefined)).to.deep.equal(['10.1.2.3']);
  });

  it('needs a setting', () => {
    expect(createTrustedProxies([])).to.equal(undefined);
  });
});
