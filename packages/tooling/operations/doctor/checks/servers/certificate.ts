import { X509Certificate } from 'node:crypto';
import { once } from 'node:events';
import { type Socket, connect, isIP } from 'node:net';
import { type DetailedPeerCertificate, type TLSSocket, connect as connectTls } from 'node:tls';
import { type IdentityFiles, type Tls, amountOf, readIdentity } from '#base/runtime';
import type { Now } from '../../installation.ts';
import { type Check, type Finding, type Judgement, fail, ok, warn } from '../../finding.ts';

export type Endpoint = {
  readonly host: string;
  readonly port: number;
  /** What a client sends before the handshake, and the one byte by which the server agrees. */
  readonly opening?: { readonly request: Buffer; readonly agreement: string };
};

const DAY_MS = 86_400_000;
const NOTABLE_DAYS = 30;
const URGENT_DAYS = 7;
const CONNECT_WITHIN_MS = 5000;

/** Finds the certificate of the endpoints that ends first. The handshake verifies them as every client of ours does. */
export function certificateCheck(
  name: string,
  { endpoints, tls }: { readonly endpoints: readonly Endpoint[]; readonly tls: Tls },
  now: Now,
): Check {
  return {
    name: `${name} certificate`,
    run: async () => {
      const ends = await Promise.all(endpoints.map((endpoint) => readEnd(endpoint, tls)));
      return judgeCertificate(new Date(Math.min(...ends.map((end) => end.getTime()))), now());
    },
  };
}

/** Judges the certificate with which flagmeter itself listens. The configuration has checked that the files can be read. */
export function examineOwnCertificate(files: IdentityFiles, now: Now): Finding {
  const { validTo } = new X509Certificate(readIdentity(files).cert);
  return { check: 'own certificate', ...judgeCertificate(new Date(validTo), now()) };
}

export function judgeCertificate(end: Date, now: number): Judgement {
  const days = Math.floor((end.getTime() - now) / DAY_MS);
  const text = `The certificate is valid until ${end.toISOString().slice(0, 16)}Z, for ${amountOf(days, 'more day')}.`;
  if (days < URGENT_DAYS) return fail(text, 'Renew it now.');
  return days < NOTABLE_DAYS ? warn(text, 'Renew it.') : ok(text);
}

/** The end of the certificate of a server or, if that is earlier, of one of the authorities above it. */
async function readEnd({ host, port, opening }: Endpoint, tls: Tls): Promise<Date> {
  const signal = AbortSignal.timeout(CONNECT_WITHIN_MS);
  const plain = connect({ host, port });
  let secure: TLSSocket | undefined;
  try {
    await once(plain, 'connect', { signal });
    if (opening !== undefined) await agree(plain, opening, signal);
    secure = connectTls({ ...tls, socket: plain, ...(isIP(host) === 0 ? { servername: host } : { host }) });
    await once(secure, 'secureConnect', { signal });
    const ends = chainOf(secure.getPeerCertificate(true)).map(({ valid_to: end }) => Date.parse(end));
    return new Date(Math.min(...ends));
  } finally {
    secure?.destroy();
    plain.destroy();
  }
}

async function agree(
  socket: Socket,
  { request, agreement }: NonNullable<Endpoint['opening']>,
  signal: AbortSignal,
): Promise<void> {
  socket.write(request);
  const [answer] = (await once(socket, 'data', { signal })) as [Buffer];
  if (answer.toString('latin1') !== agreement) throw new Error('The server does not support SSL connections');
}

/** An authority that signed itself is its own issuer. */
function chainOf(certificate: DetailedPeerCertificate): DetailedPeerCertificate[] {
  const chain = [certificate];
  for (let next = certificate.issuerCertificate; !chain.includes(next); next = next.issuerCertificate)
    chain.push(next);
  return chain;
}
