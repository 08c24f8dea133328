import { isIP } from 'node:net';
import { isAllowedAddress } from './addresses.ts';

export type TargetRules = {
  /** Whether messages may go to this machine itself, and then also without TLS. */
  readonly mayLoopBack: boolean;
};

const MAX_URL_LENGTH = 2000;

/**
 * Why an address of a receiver is not allowed; undefined if it is. A name is only known after its resolution, so `post` checks again.
 * The parser turns all notations of an IPv4 address, such as 2130706433 and 0177.0.0.1, into the usual one.
 */
export function problemOfTarget(url: string, rules: TargetRules): string | undefined {
  if (url.length > MAX_URL_LENGTH || !URL.canParse(url)) return 'It is no valid URL.';
  const target = new URL(url);
  if (target.username !== '' || target.password !== '') return 'It must not have a user name or a password.';
  const host = hostOf(target);
  if (!isAllowedHost(host, rules)) return 'It leads into a private network.';
  if (target.protocol === 'https:') return undefined;
  return target.protocol === 'http:' && rules.mayLoopBack && isLoopback(host)
    ? undefined
    : 'It must begin with https://.';
}

/** Without the brackets around IPv6 addresses, and without the dot at the end of a name. */
export function hostOf({ hostname }: URL): string {
  return hostname.replace(/^\[(.*)\]$/, '$1').replace(/\.$/, '');
}

/** Names of this machine itself, which no name server needs to know (RFC 6761). */
export function isLocalName(host: string): boolean {
  return host === 'localhost' || host.endsWith('.localhost');
}

function isAllowedHost(host: string, { mayLoopBack }: TargetRules): boolean {
  if (isLocalName(host)) return mayLoopBack;
  return isIP(host) === 0 || isAllowedAddress(host, mayLoopBack);
}

function isLoopback(host: string): boolean {
  return isLocalName(host) || (isIP(host) !== 0 && !isAllowedAddress(host, false));
}
