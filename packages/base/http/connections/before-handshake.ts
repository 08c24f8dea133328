import type { Server } from 'node:https';
import type { Socket } from 'node:net';
import { type OnForeign, foreignToTls } from './foreign-protocols.ts';

export type BeforeHandshake = {
  readonly timeoutMs: number;
  readonly onForeign: OnForeign;
  /** Called for each connection that ends before its first byte. */
  readonly onSilent: (reason: 'timeout' | 'other') => void;
};

/**
 * Looks at the first bytes of each connection, because OpenSSL does not show those that it cannot read. Then Node begins the handshake
 * with them, as it does without this look.
 */
export function lookBeforeHandshake(
  server: Server,
  { timeoutMs, onForeign, onSilent }: BeforeHandshake,
): void {
  const handshakes = server.listeners('connection');
  server.removeAllListeners('connection');
  server.on('connection', (socket: Socket) => {
    let isSilent = true;
    const timer = setTimeout(() => {
      onSilent('timeout');
      isSilent = false;
      socket.destroy();
    }, timeoutMs);
    const onEnd = (): void => {
      clearTimeout(timer);
      if (isSilent) onSilent('other');
      isSilent = false;
      socket.destroy();
    };
    socket.once('error', onEnd).once('close', onEnd);
    socket.once('readable', () => {
      const bytes: unknown = socket.read();
      if (!(bytes instanceof Buffer)) {
        onEnd();
        return;
      }
      clearTimeout(timer);
      isSilent = false;
      socket.off('error', onEnd).off('close', onEnd);
      const protocol = foreignToTls(bytes);
      if (protocol !== undefined) onForeign(protocol, socket);
      socket.unshift(bytes);
      for (const begin of handshakes) begin.call(server, socket);
    });
  });
}
