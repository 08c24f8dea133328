import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that has sent more requests than this ahead of their answers is cut off. */
const MAX_WAITING = 8;

type Connection = { latest: ServerResponse; waiting: number };

/**
 * Handles the requests of one connection one after the other, each when the answer before it has been read. Node hands over all that
 * it finds in 64 KiB, a thousand small requests, and keeps their answers in memory for a client that need not read any of them.
 */
export function oneAtATime(handle: RequestListener): RequestListener {
  const connections = new WeakMap<Socket, Connection>();
  return (request, response) => {
    const { socket } = request;
    const connection = connections.get(socket) ?? { latest: response, waiting: 0 };
    const previous = connection.latest;
    connection.latest = response;
    connections.set(socket, connection);
    if (previous === response || previous.writableFinished) {
      handle(request, response);
      return;
    }
    connection.waiting += 1;
    if (connection.waiting > MAX_WAITING) {
      socket.destroy();
      return;
    }
    previous.once('close', () => {
      connection.waiting -= 1;
      // A response that has begun is an error of the protocol: its body broke off while it waited.
      if (!socket.destroyed && !response.headersSent) handle(request, response);
    });
  };
}
