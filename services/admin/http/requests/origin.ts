import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { HttpProblem } from '#http';

/** Host names and origins that the configuration accepts. */
type Accepted = { readonly hosts: readonly string[]; readonly origins: readonly string[] };

/**
 * Rejects requests that a foreign web page may make a browser send: those to a host name that is not ours (DNS rebinding), and
 * those with an origin that is neither ours nor in the list of `ADMIN_CORS_ORIGINS`.
 */
export function checkOrigin(
  { host = '', origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
  { hosts, origins }: Accepted,
): void {
  const here = parse(`http://${host}`);
  if (here === undefined || !isOurs(here.hostname, hosts))
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, the host must be an IP address, localhost or one of ADMIN_HOSTS.',
    );
  if (origin !== undefined && !origins.includes(origin) && parse(origin)?.host !== here.host)
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, the admin API rejects calls from pages of other origins.',
    );
}

function isOurs(hostname: string, names: readonly string[]): boolean {
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || hostname === 'localhost' || names.some((name) => name.toLowerCase() === hostname);
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
