import { type Socket, connect } from 'node:net';

/** Clients that all send a request at once, each on a connection of its own, and wait; some never read. */
export type Crowd = {
  /** Answers so far by status; `open` wait, `cut` were closed without an answer. */
  tally(): Readonly<Record<string, number>>;
  leave(): void;
};

const WAVE = 100;

export type CrowdOptions = {
  /** What each sends. */
  readonly request: Uint8Array | string | ((index: number) => string);
  readonly isReading?: boolean;
  /** Its address. */
  readonly from?: string;
};

let strangers = 0;

/** An address of this machine that nobody has used yet. Linux has all of 127.0.0.0/8; elsewhere they must be added to `lo0` first. */
export function aStranger(): string {
  strangers += 1;
  return `127.0.0.${strangers + 1}`;
}

export async function gatherCrowd(
  url: string,
  many: number,
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
  // Not more at once than the queue in front of the server's socket holds.
  for (let first = 0; first < many; first += WAVE) {
    await Promise.all(Array.from({ length: Math.min(WAVE, many - first) }, (_, i) => join(first + i)));
  }
  return {
    tally() {
      const tally: Record<string, number> = {};
      for (const fate of fates) tally[fate] = (tally[fate] ?? 0) + 1;
      return tally;
    },
    leave() {
      for (const socket of sockets) socket.destroy();
    },
  };
}
