import { type Socket, connect as connectPlain } from 'node:net';
import { connect as connectSecurely } from 'node:tls';
import { AnswerReader } from './answer-reader.ts';

/** The outcome of a request: a status, or an error and whether the request may have arrived. */
export type Outcome = { readonly status: number } | { readonly error: string; readonly isInDoubt: boolean };

type Pending = {
  readonly bytes: Buffer;
  readonly settle: (outcome: Outcome) => void;
  readonly since: number;
};

/**
 * A keep-alive connection with one request at a time, on a plain socket. For bodies of 2.2 / 85 kB a request costs the client
 * 15 / 24 us here, 58 / 77 us with an Agent of node:http, and 353 / 422 us with fetch. The server on the same machine lacks
 * this CPU time.
 */
export class Connection {
  readonly #url: URL;
  #socket: Socket | undefined;
  #isConnected = false;
  #pending: Pending | undefined;
  #reader = new AnswerReader();

  constructor(url: URL) {
    this.#url = url;
  }

  /** Sends a request and calls `settle` once. The bytes must not change until then. */
  send(bytes: Buffer, settle: (outcome: Outcome) => void): void {
    this.#pending = { bytes, settle, since: performance.now() };
    this.#socket ??= this.#connect();
    // Until it is connected, the socket buffers the bytes.
    this.#socket.write(bytes);
  }

  /** Gives up the request if it has waited longer than this. */
  expire(timeoutMs: number): void {
    if (this.#pending !== undefined && performance.now() - this.#pending.since > timeoutMs)
      this.#fail('timeout');
  }

  close(): void {
    this.#fail('closed by us');
  }

  #connect(): Socket {
    const { hostname, port, protocol } = this.#url;
    const host = hostname.replace(/^\[|\]$/g, '');
    const isSecure = protocol === 'https:';
    const address = { host, port: Number(port || (isSecure ? 443 : 80)) };
    const socket = isSecure ? connectSecurely({ ...address, servername: host }) : connectPlain(address);
    this.#reader = new AnswerReader();
    this.#isConnected = false;
    socket.setNoDelay(true);
    socket.on('data', (chunk: Buffer) => {
      if (socket === this.#socket) this.#receive(chunk);
    });
    socket.once(isSecure ? 'secureConnect' : 'connect', () => {
      this.#isConnected = true;
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      if (socket === this.#socket) this.#fail(error.code ?? error.name);
    });
    socket.once('close', () => {
      if (socket === this.#socket) this.#fail('closed by the server');
    });
    return socket;
  }

  #receive(chunk: Buffer): void {
    try {
      const answer = this.#reader.read(chunk);
      if (answer === undefined) return;
      if (!answer.mayReuse) this.#drop();
      this.#settle({ status: answer.status });
    } catch {
      this.#fail('not understood');
    }
  }

  #fail(error: string): void {
    const isInDoubt = this.#isConnected;
    this.#drop();
    this.#settle({ error, isInDoubt });
  }

  #drop(): void {
    const socket = this.#socket;
    this.#socket = undefined;
    socket?.destroy();
  }

  #settle(outcome: Outcome): void {
    const pending = this.#pending;
    this.#pending = undefined;
    pending?.settle(outcome);
  }
}
