import { isIPv6 } from 'node:net';

/** The unit of limits per address: an IPv4 address, or the /64 network of an IPv6 host. */
export function addressOf(remoteAddress = ''): string {
  const mapped = remoteAddress.replace(/^::ffff:/i, '');
  // Most addresses are IPv4, and `isIPv6` matches a large regular expression.
  return mapped.includes(':') && isIPv6(mapped) ? networkOf(mapped) : mapped;
}

/** The first four groups; `::` replaces the missing groups, which are zero. */
function networkOf(address: string): string {
  const [head = '', tail] = address.split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const zeroes = tail === undefined ? 0 : 8 - first.length - last.length;
  return [...first, ...Array<string>(zeroes).fill('0'), ...last].slice(0, 4).join(':');
}
