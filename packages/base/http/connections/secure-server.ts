import { constants } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { type Server, type ServerOptions, createServer } from 'node:https';
import { lookBeforeHandshake } from './before-handshake.ts';
import type { OnForeign } from './foreign-protocols.ts';
import {
  type Identity,
  type IdentityFiles,
  type Log,
  inBackground,
  readIdentity,
  startJob,
} from '#base/runtime';

export type ListenTls = {
  readonly files: IdentityFiles;
  readonly log: Log;
  /** Called for each connection that ends before it is encrypted. */
  readonly onFailedHandshake: (reason: 'timeout' | 'other') => void;
};

export type SecureServerOptions = ListenTls & {
  readonly http: ServerOptions;
  readonly handshakeTimeoutMs: number;
  readonly onForeign: OnForeign;
};

const LOOK_EVERY_MS = 1000;

/**
 * Creates an HTTPS server that uses a new certificate as soon as its files change; open connections stay open. If the new files
 * are wrong, it logs that once and keeps the old certificate.
 */
export function createSecureServer({
  http,
  handshakeTimeoutMs,
  onForeign,
  ...tls
}: SecureServerOptions): Server {
  const { files, log, onFailedHandshake } = tls;
  let current = readIdentity(files);
  let seen = '';
  const server = createServer({ ...http, ...contextOf(current), handshakeTimeout: handshakeTimeoutMs });
  lookBeforeHandshake(server, { timeoutMs: handshakeTimeoutMs, onForeign, onSilent: onFailedHandshake });
  server.on('tlsClientError', (error: NodeJS.ErrnoException, socket) => {
    onFailedHandshake(error.code === 'ERR_TLS_HANDSHAKE_TIMEOUT' ? 'timeout' : 'other');
    if (error.code === 'ERR_SSL_NO_APPLICATION_PROTOCOL') onForeign('http2', socket);
  });
  const watching = startJob({ name: 'reload the certificate', pauseMs: LOOK_EVERY_MS, log }, async () => {
    const found = await versionsOf(files);
    if (found === seen) return;
    seen = found;
    const next = readIdentity(files);
    if (next.cert === current.cert && next.key === current.key) return;
    server.setSecureContext(contextOf(next));
    current = next;
    log.info('certificate reloaded');
  });
  server.once('close', () => {
    inBackground(watching.stop());
  });
  return server;
}

/** TLS 1.2 is the oldest version that RFC 9325 allows. A client may not make us repeat the expensive part of a handshake. */
function contextOf(identity: Identity) {
  return { ...identity, minVersion: 'TLSv1.2', secureOptions: constants.SSL_OP_NO_RENEGOTIATION } as const;
}

/** Changes with each write, and when a link points to another file, as Kubernetes replaces secrets. */
async function versionsOf({ cert, key }: IdentityFiles): Promise<string> {
  const stats = await Promise.all([stat(cert.path), stat(key.path)]);
  return stats.map(({ ino, ctimeMs, size }) => `${ino} ${ctimeMs} ${size}`).join();
}
