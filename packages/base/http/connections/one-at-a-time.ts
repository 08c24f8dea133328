import type { RequestListener, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/** A client that sends more requests than this without reading the answers is cut off. */
const MAX_WAITING = 8;

type Connection = { latest: ServerResponse; waiting: number };

/**
 * Handles the requests of one connection one after the other, each after the client has read the previous answer. Node parses
 * all requests in a chunk of 64 KiB at once, up to a thousand small ones. It would hold all their answers in memory for a
 * client that does not read.
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
      // A response that has already begun is a protocol error: the body of this request broke off while it waited.
      if (!socket.destroyed && !response.headersSent) handle(request, response);
    });
  };
}
