import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

type Connection = {
  socket?: Pick<Socket, 'destroyed'> | null;
  disconnect: (this: Connection) => Promise<boolean>;
};

/**
 * kafkajs 2.2.4 keeps the socket of a connection that failed, and ends it again at each `disconnect`. On a socket without a handle,
 * `unref` of Node waits for a connection that never comes, with one more listener each time: while a broker was down, workers printed
 * a warning about a leak.
 */
const { prototype } = createRequire(import.meta.url)('kafkajs/src/network/connection') as {
  readonly prototype: Connection;
};
const { disconnect } = prototype;
prototype.disconnect = function () {
  if (this.socket?.destroyed === true) this.socket = null;
  return disconnect.call(this);
};
