import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';

/** TCP keep-alive probes find out whether a silent client still exists. */
const PROBE_AFTER_MS = 60_000;

export type OpenStream = {
  readonly outgoing: ClientRequest;
  readonly answer: IncomingMessage;
  readonly response: ServerResponse;
};

/** Tracks the open streams of server-sent events. */
export type Streams = {
  add(stream: OpenStream): void;
  open(): number;
  /** Ends all streams, also those that begin later. Clients then connect to another process. */
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
        // Deferred, because the proxy copies the headers first. The first event may take long.
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

/** Ends the answer properly, because a cut connection looks like a failure to the client. */
function endStream({ outgoing, answer, response }: OpenStream): void {
  answer.unpipe(response);
  response.end(() => outgoing.destroy());
}
