import type { IncomingHttpHeaders } from 'node:http';
import { isIP } from 'node:net';
import { HttpProblem } from '#base/http';

/** Host names and origins that the configuration accepts. */
type Accepted = { readonly hosts: readonly string[]; readonly origins: readonly string[] };
type OriginHeaders = Pick<IncomingHttpHeaders, 'host' | 'origin'>;

/**
 * Rejects requests that a foreign web page may make a browser send: those to a host name that is not ours (DNS rebinding), and
 * those with an origin that is neither ours nor in the list of `ADMIN_CORS_ORIGINS`.
 */
export function checkOrigin(headers: OriginHeaders, { hosts, origins }: Accepted): void {
  const here = hostOf(headers);
  if (here === undefined || !isOurs(here.hostname, hosts))
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, the host must be an IP address, localhost or one of ADMIN_HOSTS.',
    );
  if (isForeignPage(headers, origins))
    throw new HttpProblem(
      403,
      'While AUTH_TYPE is none, the admin API rejects calls from pages of other origins.',
    );
}

/** Whether the origin of the page that sends the request is neither the host of the request nor one of these. */
export function isForeignPage(headers: OriginHeaders, origins: readonly string[]): boolean {
  const { origin } = headers;
  if (origin === undefined || origins.includes(origin)) return false;
  const page = parse(origin)?.host;
  return page === undefined || page !== hostOf(headers)?.host;
}

function hostOf({ host = '' }: OriginHeaders): URL | undefined {
  return parse(`http://${host}`);
}

function isOurs(hostname: string, names: readonly string[]): boolean {
  const isAddress = isIP(hostname.replace(/^\[(.*)\]$/, '$1')) !== 0;
  return isAddress || hostname === 'localhost' || names.some((name) => name.toLowerCase() === hostname);
}

function parse(url: string): URL | undefined {
  return URL.canParse(url) ? new URL(url) : undefined;
}
