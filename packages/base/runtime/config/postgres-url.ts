import { ConfigError } from '../errors.ts';
import { type Tls, type TlsFiles, readTls } from './tls.ts';

export type PostgresAccess = {
  readonly url: string;
  /** Undefined if the connection is not encrypted. */
  readonly tls: Tls | undefined;
};

const FILES = { ca: 'sslrootcert', cert: 'sslcert', key: 'sslkey' } as const;
/** In libpq, `require` and `verify-ca` check less than `verify-full`. Here all three mean the same, as in pg 8. */
const ENCRYPTED: ReadonlySet<string> = new Set(['require', 'verify-ca', 'verify-full']);

/**
 * Removes libpq's TLS parameters from a URL, because pg would interpret them differently (`no-verify`, PGSSLMODE). A file in
 * the URL takes precedence over the file of all engines. `setting` names the URL in errors.
 */
export function readPostgresUrl(setting: string, databaseUrl: string, shared: TlsFiles): PostgresAccess {
  const url = new URL(databaseUrl);
  const parameters = new Map(
    [...url.searchParams].filter(([name]) => name.startsWith('ssl') || name === 'uselibpqcompat'),
  );
  for (const name of parameters.keys()) url.searchParams.delete(name);
  const mode = parameters.get('sslmode') ?? (parameters.size === 0 ? 'disable' : 'verify-full');
  const known: ReadonlySet<string> = new Set(['sslmode', ...Object.values(FILES)]);
  const isKnown = [...parameters.keys()].every((name) => known.has(name));
  if (!isKnown || (mode !== 'disable' && !ENCRYPTED.has(mode)))
    throw new ConfigError(
      `${setting} may ask for TLS by sslmode (disable, require, verify-ca or verify-full), sslrootcert, sslcert and sslkey only`,
    );
  const plainUrl = parameters.size === 0 ? databaseUrl : url.toString();
  if (mode === 'disable') return { url: plainUrl, tls: undefined };
  const fileOf = (role: keyof TlsFiles) => {
    const path = parameters.get(FILES[role]);
    return path === undefined ? shared[role] : { setting: `${FILES[role]} of ${setting}`, path };
  };
  return { url: plainUrl, tls: readTls({ ca: fileOf('ca'), cert: fileOf('cert'), key: fileOf('key') }) };
}
