import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { createSecureContext } from 'node:tls';
import { ConfigError } from '../errors.ts';

/**
 * TLS settings for connections to an engine, in PEM. `ca` replaces the authorities of Node.js. Verification cannot be switched
 * off.
 */
export type Tls = { readonly ca?: string; readonly cert?: string; readonly key?: string };

/** A file and the setting that names it. An empty path means none. */
type NamedFile = { readonly setting: string; readonly path: string };

export type TlsFiles = { readonly ca: NamedFile; readonly cert: NamedFile; readonly key: NamedFile };

/** Reads and checks certificates and key. A ConfigError names the wrong setting. */
export function readTls({ ca, cert, key }: TlsFiles): Tls {
  const authority = ca.path === '' ? {} : { ca: readCertificates(ca) };
  if (cert.path === '' && key.path === '') return authority;
  if ([ca, cert, key].some(({ path }) => path === ''))
    throw new ConfigError(`${cert.setting} needs ${key.setting} and ${ca.setting} beside it`);
  return { ...authority, ...readIdentity({ cert, key }) };
}

/** A certificate and its key, in PEM. */
export type Identity = { readonly cert: string; readonly key: string };

export type IdentityFiles = Pick<TlsFiles, 'cert' | 'key'>;

/** Reads a certificate and its key. A ConfigError names the wrong setting. */
export function readIdentity({ cert, key }: IdentityFiles): Identity {
  const identity = { cert: readCertificates(cert), key: readNamedFile(key) };
  try {
    createSecureContext(identity);
  } catch (cause) {
    const message = `${key.setting} does not hold the key of ${cert.setting}, or needs a passphrase`;
    throw new ConfigError(message, { cause });
  }
  return identity;
}

/** The files of the certificate with which we listen, checked; undefined if we listen without TLS. */
export function listenTlsOf(env: {
  readonly LISTEN_TLS_CERT_FILE: string;
  readonly LISTEN_TLS_KEY_FILE: string;
}): IdentityFiles | undefined {
  const cert = { setting: 'LISTEN_TLS_CERT_FILE', path: env.LISTEN_TLS_CERT_FILE };
  const key = { setting: 'LISTEN_TLS_KEY_FILE', path: env.LISTEN_TLS_KEY_FILE };
  if (cert.path === '' && key.path === '') return undefined;
  if (cert.path === '' || key.path === '')
    throw new ConfigError(`${cert.setting} and ${key.setting} are needed together`);
  readIdentity({ cert, key });
  return { cert, key };
}

/**
 * Reads the file that a setting names. The error does not show the path, because somebody may have put the secret there by
 * mistake.
 */
export function readNamedFile({ setting, path }: NamedFile): string {
  try {
    return readFileSync(path, 'utf8');
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : 'unknown';
    throw new ConfigError(`${setting} names a file that cannot be read: ${REASONS[code] ?? code}`, { cause });
  }
}

const REASONS: Readonly<Record<string, string>> = {
  ENOENT: 'there is none',
  EACCES: 'permission denied',
  EISDIR: 'it is a folder',
};

/** Reads certificates in PEM. */
export function readCertificates(file: NamedFile): string {
  const text = readNamedFile(file);
  try {
    new X509Certificate(text); // parses the first certificate; the handshake checks the others
    return text;
  } catch (cause) {
    throw new ConfigError(`${file.setting} names a file that holds no certificate in PEM`, { cause });
  }
}
