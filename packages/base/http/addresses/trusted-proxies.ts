import type { IncomingMessage } from 'node:http';
import { BlockList, type Socket, isIP } from 'node:net';

/** The proxies whose X-Forwarded-For we believe. */
export type TrustedProxies = Pick<BlockList, 'check'>;

/** Addresses and networks, such as `10.0.0.0/8`. Undefined if there are none. */
export function createTrustedProxies(addresses: readonly string[]): TrustedProxies | undefined {
  if (addresses.length === 0) return undefined;
  const proxies = new BlockList();
  for (const item of addresses) {
    const [address = '', bits] = item.split('/', 2);
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return proxies;
}

type Peer = Pick<Socket, 'remoteAddress'>;
type Forwarded = Pick<IncomingMessage, 'headers'> & { readonly socket: Peer };

/**
 * The addresses between the client, which is the first, and the peer of the connection, which is the last. Each proxy appends the
 * address that connected to it, so we go from the right: the first address that is no trusted proxy is the client. What is left
 * of it came from the client, who can write anything.
 */
export function addressesOf(
  { headers, socket }: Forwarded,
  proxies: TrustedProxies | undefined,
): readonly [client: string, ...string[]] {
  let addresses: [string, ...string[]] = [withoutMapping(socket.remoteAddress)];
  if (proxies === undefined) return addresses;
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
  while (isTrusted(addresses[0], proxies)) {
    const next = withoutMapping(forwarded.pop()?.trim());
    if (isIP(next) === 0) break;
    addresses = [next, ...addresses];
  }
  return addresses;
}

/** Whether the other end of the connection is one of the proxies. */
export function isTrustedPeer({ remoteAddress }: Peer, proxies: TrustedProxies | undefined): boolean {
  return proxies !== undefined && isTrusted(withoutMapping(remoteAddress), proxies);
}

/** An IPv4 address as such, even if a socket for both families reports it. */
export function withoutMapping(address = ''): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function isTrusted(address: string, proxies: TrustedProxies): boolean {
  return isIP(address) !== 0 && proxies.check(address, familyOf(address));
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
