import type { Server } from 'node:http';
import type { Socket } from 'node:net';
import { Room } from '#base/runtime';
import { addressOf } from '../addresses/address.ts';

export type ConnectionLimits = {
  /** The maximum number of connections in total. */
  readonly maxConnections: number;
  readonly maxConnectionsPerAddress: number;
  /** A client must read each answer within this time. */
  readonly receiveWithinMs: number;
  /** Whether connections are encrypted. The limits then include connections that are not encrypted yet. */
  readonly isSecure: boolean;
};

export type GuardedConnections = {
  /** The number of open connections. */
  open(): number;
  /** Ends all of them at once, also those within a handshake. */
  cut(): void;
};

const LOOK_EVERY_MS = 1000;

/**
 * A client that does not read its answer: the number of bytes that it has received, and the time since which that number is
 * unchanged.
 */
type Stall = { readonly received: number; readonly since: number };

/** Closes new connections beyond the limits, and connections of clients that do not read their answers. Counts the others. */
export function guardConnections(server: Server, limits: ConnectionLimits): GuardedConnections {
  const sockets = new Set<Socket>();
  // Not `server.maxConnections`: node:cluster would pass a connection above it between full processes without end.
  const open = new Room({ each: limits.maxConnectionsPerAddress, all: limits.maxConnections });
  const stalls = new Map<Socket, Stall | undefined>();
  server.on('connection', (socket: Socket) => {
    const address = addressOf(socket.remoteAddress);
    if (!open.reserve(address)) {
      socket.destroy();
      return;
    }
    sockets.add(socket);
    socket.once('close', () => {
      sockets.delete(socket);
      open.giveBack(address);
    });
  });
  // Only the socket inside the encryption knows which bytes the client has read.
  server.on(limits.isSecure ? 'secureConnection' : 'connection', (socket: Socket) => {
    if (socket.destroyed) return;
    stalls.set(socket, undefined);
    socket.once('close', () => {
      stalls.delete(socket);
    });
  });
  const looking = setInterval(() => {
    for (const [socket, stall] of stalls) stalls.set(socket, look(socket, stall, limits.receiveWithinMs));
  }, LOOK_EVERY_MS);
  looking.unref();
  server.once('close', () => {
    clearInterval(looking);
  });
  return {
    open: () => open.total,
    cut() {
      for (const socket of sockets) socket.destroy();
    },
  };
}

/** Returns the stall of a socket, if there is one; cuts the connection off if the stall lasts too long. */
function look(socket: Socket, stall: Stall | undefined, receiveWithinMs: number): Stall | undefined {
  if (socket.writableLength === 0) return undefined;
  const received = socket.bytesWritten - socket.writableLength;
  const now = performance.now();
  if (stall?.received !== received) return { received, since: now };
  if (now - stall.since >= receiveWithinMs) socket.destroy();
  return stall;
}
