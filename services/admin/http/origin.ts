import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { HttpProblem } from '#http';

/**
 * Rejects requests that a foreign web page may make a browser send: those to a host name that is not ours (DNS rebinding), and
 * those with a foreign origin.
 */
export function checkOrigin(
  { host = '', origin }: Pick<IncomingHttpHeaders, 'host' | 'origin'>,
  names: readonly string[],
): void {
  const here = parse(`http://${host}`);
  if (here === undefined || !isOurs(here.hostname, names))
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, the host must be an IP address, localhost or one of ADMIN_HOSTS.',
    );
  if (origin !== undefined && parse(origin)?.host !== here.host)
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
