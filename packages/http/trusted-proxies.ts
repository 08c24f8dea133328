import type { IncomingMessage } from 'node:http';
import { BlockList, type Socket, isIP } from 'node:net';

/** The proxies whose X-Forwarded-For we believe: addresses and networks, such as `10.0.0.0/8`. Undefined if there are none. */
export function createTrustedProxies(addresses: readonly string[]): BlockList | undefined {
  if (addresses.length === 0) return undefined;
  const proxies = new BlockList();
  for (const item of addresses) {
    const [address = '', bits] = item.split('/', 2);
    if (bits === undefined) proxies.addAddress(address, familyOf(address));
    else proxies.addSubnet(address, Number(bits), familyOf(address));
  }
  return proxies;
}

type Forwarded = Pick<IncomingMessage, 'headers'> & { readonly socket: Pick<Socket, 'remoteAddress'> };

/**
 * The address of the client. Each proxy appends the address that connected to it, so we go from the right: the first address
 * that is no trusted proxy is the client. What stands left of it came from the client, who can write anything.
 */
export function clientAddressOf({ headers, socket }: Forwarded, proxies: BlockList): string {
  let address = withoutMapping(socket.remoteAddress ?? '');
  const forwarded = [headers['x-forwarded-for'] ?? []].flat().join().split(',');
  while (isTrusted(address, proxies)) {
    const next = withoutMapping(forwarded.pop()?.trim() ?? '');
    if (isIP(next) === 0) break;
    address = next;
  }
  return address;
}

function isTrusted(address: string, proxies: BlockList): boolean {
  return isIP(address) !== 0 && proxies.check(address, familyOf(address));
}

function withoutMapping(address: string): string {
  return address.replace(/^::ffff:(?=\d+\.)/i, '');
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4';
}
