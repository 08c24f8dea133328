import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

/** Probes find out whether a silent client still exists. */
const PROBE_AFTER_MS = 60_000;

export type OpenStream = {
  readonly outgoing: ClientRequest;
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
};

/** Server-sent events: answers that end when somebody ends them. */
export type Streams = {
  add(stream: OpenStream): void;
  open(): number;
  /** Ends all streams, those that begin later as well. Clients then connect elsewhere. */
  end(): void;
};

export function isStream({ headers }: IncomingMessage): boolean {
  return /^text\/event-stream\b/i.test(headers['content-type'] ?? '');
}

export function createStreams(): Streams {
  const streams = new Set<OpenStream>();
  let isEnding = false;
  return {
    add(stream) {
      const { response } = stream;
      streams.add(stream);
      response.once('close', () => streams.delete(stream));
      response.socket?.setKeepAlive(true, PROBE_AFTER_MS);
      queueMicrotask(() => {
        // Not before the proxy has copied the headers; the first event may be far away.
        response.flushHeaders();
        if (isEnding) endStream(stream);
      });
    },
    open: () => streams.size,
    end() {
      isEnding = true;
      for (const stream of streams) endStream(stream);
    },
  };
}

/** As a whole answer: a cut would look like trouble to the client. */
function endStream({ outgoing, answer, response }: OpenStream): void {
  answer.unpipe(response);
  response.end(() => outgoing.destroy());
}
