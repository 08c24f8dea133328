import { type Socket, connect } from 'node:net';

/** Clients that send a request at the same time, each on its own connection, and wait. Some never read. */
export type Crowd = {
  /** Number of clients so far by status; `open` still wait, `cut` were closed without an answer. */
  tally(): Readonly<Record<string, number>>;
  /** Each client whose connection is open sends these bytes. */
  say(bytes: string): void;
  leave(): void;
};

const WAVE = 100;

export type CrowdOptions = {
  /** The bytes that each client sends. */
  readonly request: Uint8Array | string | ((index: number) => string);
  readonly isReading?: boolean;
  /** Address of the clients. */
  readonly from?: string;
};

let strangers = 0;

/**
 * An unused address of this machine. Linux has all of 127.0.0.0/8; other systems must first add the addresses to
 * `lo0`.
 */
export function aStranger(): string {
  strangers += 1;
  return `127.0.0.${strangers + 1}`;
}

export async function gatherCrowd(
  url: string,
  count: number,
  { request, isReading = true, from }: CrowdOptions,
): Promise<Crowd> {
  const { hostname, port } = new URL(url);
  const fates: string[] = [];
  const sockets: Socket[] = [];
  const join = (index: number): Promise<void> =>
    new Promise((resolve) => {
      fates[index] = 'open';
      const socket = connect({
        host: hostname,
        port: Number(port),
        ...(from === undefined ? {} : { localAddress: from }),
      });
      sockets.push(socket);
      socket.once('connect', () => {
        socket.write(typeof request === 'function' ? request(index) : request);
        resolve();
      });
      if (isReading)
        socket.on('data', (bytes) => {
          if (fates[index] === 'open') fates[index] = bytes.toString('latin1', 9, 12);
        });
      socket.on('error', () => undefined); // 'close' follows
      socket.on('close', () => {
        if (fates[index] === 'open') fates[index] = 'cut';
        resolve();
      });
    });
  // At most as many connections at once as the server's accept queue holds.
  for (let first = 0; first < count; first += WAVE) {
    await Promise.all(Array.from({ length: Math.min(WAVE, count - first) }, (_, i) => join(first + i)));
  }
  return {
    tally() {
      const tally: Record<string, number> = {};
      for (const fate of fates) tally[fate] = (tally[fate] ?? 0) + 1;
      return tally;
    },
    say(bytes) {
      for (const socket of sockets) if (socket.writable) socket.write(bytes);
    },
    leave() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
