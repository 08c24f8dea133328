import type { IncomingMessage } from 'node:http';
import { type TrustedProxies, addressesOf, isTrustedPeer, withoutMapping } from '#base/http';

/** Headers by which a proxy in front names the client or its user, and the URL and method that the client asked for. */
const OF_PROXIES = new Set([
  'forwarded',
  'x-forwarded',
  'forwarded-for',
  'x-real-ip',
  'x-client-ip',
  'x-cluster-client-ip',
  'true-client-ip',
  'fastly-client-ip',
  'fly-client-ip',
  'proxy-client-ip',
  'wl-proxy-client-ip',
  'client-ip',
  'client-cert',
  'client-cert-chain',
  'x-client-cert',
  'remote-addr',
  'remote-user',
  'x-host',
  'x-scheme',
  'x-url-scheme',
  'front-end-https',
  'x-method',
  'x-method-override',
]);
const PREFIXES_OF_PROXIES = [
  'x-forwarded-',
  'x-original-',
  'x-rewrite-',
  'x-http-method',
  'x-remote-',
  'x-ssl-',
  'ssl-client-',
  'x-auth-request-',
  'x-webauth-',
  'x-envoy-',
  'x-azure-',
  'x-ms-client-principal',
  'x-amzn-oidc-',
  'x-goog-authenticated-',
  'x-appengine-',
  'cf-connecting-',
  'cf-pseudo-',
  'cf-access-',
];

/**
 * Tells Unleash who the client is. Unleash limits logins by the first address of X-Forwarded-For, so a client must not choose it:
 * what a client says about itself is removed, and only the proxies in TRUST_PROXY are believed.
 */
export function writeForwarded(request: IncomingMessage, proxies: TrustedProxies | undefined): void {
  const { headers, socket } = request;
  if (!isTrustedPeer(socket, proxies)) {
    for (const name of Object.keys(headers)) if (isOfProxies(name)) Reflect.deleteProperty(headers, name);
  }
  headers['x-forwarded-for'] = addressesOf(request, proxies).join(', ');
  headers['x-forwarded-proto'] ??= 'encrypted' in socket ? 'https' : 'http';
  headers['x-forwarded-host'] ??= hostOf(request);
}

function isOfProxies(name: string): boolean {
  // Some servers take an underscore for a hyphen.
  const read = name.replaceAll('_', '-');
  return OF_PROXIES.has(read) || PREFIXES_OF_PROXIES.some((prefix) => read.startsWith(prefix));
}

/** HTTP/1.0 needs no Host. */
function hostOf({
  headers: { host = '' },
  socket: { localAddress, localPort = 0 },
}: IncomingMessage): string {
  if (host !== '') return host;
  const address = withoutMapping(localAddress);
  return `${address.includes(':') ? `[${address}]` : address}:${localPort}`;
}
