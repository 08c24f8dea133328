import ipaddr from 'ipaddr.js';

/** A public address by which virtual machines of Azure reach their host. */
const HOST_OF_AZURE = '168.63.129.16';

/**
 * Whether a message may be sent to an IP address, in any notation. Only public ones are allowed: all others could be services inside
 * the network of the operator. `mayLoopBack` also allows this machine itself.
 */
export function isAllowedAddress(address: string, mayLoopBack: boolean): boolean {
  if (!ipaddr.isValid(address)) return false;
  const parsed = ipaddr.process(address); // an IPv4 address inside an IPv6 one becomes itself
  const range = parsed.range();
  if (range === 'loopback') return mayLoopBack;
  if (range !== 'unicast' || parsed.toString() === HOST_OF_AZURE) return false;
  return parsed.kind() === 'ipv4' || isGlobal(parsed.toByteArray());
}

/** 2000::/3. All other addresses of IPv6 have a special meaning or none. */
function isGlobal([first = 0]: readonly number[]): boolean {
  return first >> 5 === 1;
}
