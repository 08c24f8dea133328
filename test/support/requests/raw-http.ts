import { once } from 'node:events';
import { type Socket, connect } from 'node:net';

export type RawAnswer = {
  readonly status: number;
  readonly headers: ReadonlyMap<string, string>;
  readonly body: string;
};

/** One TCP connection on which a test writes arbitrary bytes, and reads when it wants to. */
export type RawConnection = {
  /** Writes bytes. Resolves when the kernel has accepted them, whether or not the peer reads. */
  write(bytes: string | Uint8Array): Promise<void>;
  /** The next answer. Rejects if the connection ends before the answer is complete. */
  answer(): Promise<RawAnswer>;
  /** Resolves when the peer has closed the connection, with the bytes that no one has read. */
  closed(): Promise<string>;
  /** Half-closes the connection: sends nothing more, but can still read answers. */
  finish(): void;
  /** Ends the connection at once, even in the middle of a message. */
  cut(): void;
};

/** Connects to a base URL. */
export async function openRawConnection(url: string): Promise<RawConnection> {
  const { hostname, port } = new URL(url);
  const socket = connect({ host: hostname, port: Number(port), allowHalfOpen: true });
  await once(socket, 'connect');
  const inbox = createInbox(socket);
  return {
    write: (bytes) =>
      new Promise((resolve, reject) => {
        socket.write(bytes, (error) => {
          if (error) reject(error);
          else resolve();
        });
      }),
    answer: () => inbox.next(),
    closed: () => inbox.closed(),
    finish: () => socket.end(),
    cut: () => socket.destroy(),
  };
}

/** The head of a POST as bytes on the wire. */
export function rawHead(path: string, headers: Readonly<Record<string, string | number>>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST ${path} HTTP/1.1\r\nHost: test\r\n${lines.join('')}\r\n`;
}

function createInbox(socket: Socket): { next(): Promise<RawAnswer>; closed(): Promise<string> } {
  let received = Buffer.alloc(0);
  let end: Error | undefined;
  let wake: () => void = () => undefined;
  socket.on('data', (chunk: Buffer) => {
    received = Buffer.concat([received, chunk]);
    wake();
  });
  socket.on('error', (error) => (end = error));
  const onEnd = (): void => {
    end ??= new Error('the connection was closed');
    wake();
  };
  socket.on('end', onEnd);
  socket.on('close', onEnd);
  return {
    async next() {
      for (;;) {
        const parsed = parseAnswer(received);
        if (parsed !== undefined) {
          received = received.subarray(parsed.length);
          return parsed.answer;
        }
        if (end !== undefined) throw end;
        await new Promise<void>((resolve) => (wake = resolve));
      }
    },
    async closed() {
      while (end === undefined) await new Promise<void>((resolve) => (wake = resolve));
      socket.destroy();
      return received.toString('latin1');
    },
  };
}

/** The first complete answer in the bytes. Our answers always declare their length. */
function parseAnswer(bytes: Buffer): { answer: RawAnswer; length: number } | undefined {
  const headEnd = bytes.indexOf('\r\n\r\n');
  if (headEnd === -1) return undefined;
  const [statusLine = '', ...lines] = bytes.subarray(0, headEnd).toString('latin1').split('\r\n');
  const headers = new Map(
    lines.map((line) => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon).toLowerCase(), line.slice(colon + 1).trim()];
    }),
  );
  // HEAD answers declare the length of a body that does not follow. No test sends HEAD.
  const length = headEnd + 4 + Number(headers.get('content-length') ?? 0);
  if (bytes.length < length) return undefined;
  const body = bytes.subarray(headEnd + 4, length).toString('utf8');
  return { answer: { status: Number(statusLine.split(' ')[1]), headers, body }, length };
}
