import type { ClientRequest, IncomingMessage } from 'node:http';

/** The request exceeded one of its deadlines. */
export class PassTimeout extends Error {}

/** The deadlines of one request to Unleash. */
export type Deadlines = {
  /** Call it when the request gets its connection. */
  onRequest(outgoing: ClientRequest): void;
  /** Call it with the headers of the answer. From then on only silence is limited, and streams may be silent. */
  onAnswer(isStream: boolean): void;
  end(): void;
};

/** A reachable host accepts a connection within milliseconds. */
const CONNECT_MS = 2000;
/** SDKs give up after 10 s and relays after 5 s. */
const ANSWER_MS = 9000;
const SILENCE_MS = 30_000;

/** The time for the answer starts when the client has sent its whole request. Our server has a separate deadline for that. */
export function createDeadlines(request: IncomingMessage, requestTimeoutMs: number): Deadlines {
  let outgoing: ClientRequest | undefined;
  let timer: NodeJS.Timeout | undefined;
  const wait = (ms: number, what: string): void => {
    clearTimeout(timer);
    timer = setTimeout(() => outgoing?.destroy(new PassTimeout(what)), ms);
  };
  const onEnd = (): void => {
    wait(ANSWER_MS, 'no answer in time');
  };
  return {
    onRequest(sent) {
      outgoing = sent;
      connectInTime(sent);
      if (request.readableEnded) onEnd();
      else wait(requestTimeoutMs + ANSWER_MS, 'request not taken in time');
      request.once('end', onEnd);
    },
    onAnswer(isStream) {
      request.off('end', onEnd);
      clearTimeout(timer);
      if (!isStream) outgoing?.setTimeout(SILENCE_MS, () => outgoing?.destroy());
    },
    end() {
      request.off('end', onEnd);
      clearTimeout(timer);
    },
  };
}

function connectInTime(outgoing: ClientRequest): void {
  const { socket } = outgoing;
  if (socket === null || !socket.connecting) return;
  const timer = setTimeout(() => outgoing.destroy(new PassTimeout('no connection in time')), CONNECT_MS);
  const stop = (): void => {
    clearTimeout(timer);
  };
  socket.once('encrypted' in socket ? 'secureConnect' : 'connect', stop);
  outgoing.once('close', stop);
}
