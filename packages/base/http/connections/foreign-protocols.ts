import type { Socket } from 'node:net';

/** Protocols that are no HTTP/1, and that senders and load balancers speak if they are set up for another kind of server. */
export const FOREIGN_PROTOCOLS = ['proxy_v1', 'proxy_v2', 'tls', 'http', 'http2'] as const;

export type ForeignProtocol = (typeof FOREIGN_PROTOCOLS)[number];

/** Called for each connection that begins with such a protocol. */
export type OnForeign = (
  protocol: ForeignProtocol,
  socket: Pick<Socket, 'remoteAddress' | 'localPort'>,
) => void;

/** How each begins: both versions of the PROXY protocol of HAProxy, and a handshake record of TLS. */
const BEGINNINGS: readonly (readonly [ForeignProtocol, Buffer])[] = [
  ['proxy_v1', Buffer.from('PROXY ')],
  ['proxy_v2', Buffer.from('\r\n\r\n\0\r\nQUIT\n')],
  ['tls', Buffer.from([0x16, 0x03])],
];

/** Every TLS connection begins with this byte. */
const HANDSHAKE = 0x16;
const HTTP2_PREFACE = 'PRI * HTTP/2.0';

/**
 * The protocol of bytes that are not HTTP/1. `offset` is their place on the connection, because the parser of HTTP rejects only the
 * packet in which it sees that something is wrong.
 */
export function foreignProtocolOf(bytes: Buffer, offset = 0): ForeignProtocol | undefined {
  for (const [protocol, beginning] of BEGINNINGS) {
    const expected = beginning.subarray(offset, offset + bytes.length);
    if (expected.length > 0 && bytes.subarray(0, expected.length).equals(expected)) return protocol;
  }
  return undefined;
}

/** The protocol of the first bytes on a port with TLS; undefined for TLS, and for what has no name. */
export function foreignToTls(bytes: Buffer): ForeignProtocol | undefined {
  if (bytes[0] === HANDSHAKE) return undefined;
  const begin = bytes.toString('latin1', 0, HTTP2_PREFACE.length);
  if (begin === HTTP2_PREFACE) return 'http2';
  return foreignProtocolOf(bytes) ?? (/^[A-Z]{3,} [/*h]/.test(begin) ? 'http' : undefined);
}
