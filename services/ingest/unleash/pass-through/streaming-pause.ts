import type { IncomingMessage, ServerResponse } from 'node:http';

const PATH = /^\/api\/client\/streaming\/?(\?|$)/i;
const PAUSE_MS = 3000;
/** A failure is forgotten after this time. */
const REMEMBERED_MS = 60_000;
const MAX_WAITING = 1000;

/**
 * Delays attempts to stream. If Unleash has no streaming, an Edge in streaming mode reconnects without a pause: we measured 790
 * requests a second. While streaming fails, each further attempt waits. If `MAX_WAITING` attempts already wait, further ones
 * do not.
 */
export type StreamingPause = {
  /** Waits while streaming fails; ends early if the client leaves or `end` is called. */
  wait(request: IncomingMessage, response: ServerResponse): Promise<void>;
  /** Records the status of a request; requests for other paths are ignored. */
  note(request: IncomingMessage, status: number): void;
  /** Ends all waits. */
  end(): void;
};

export function createStreamingPause(): StreamingPause {
  let failedAt = -Infinity;
  const waiting = new Set<() => void>();
  return {
    async wait(request, response) {
      const isFailing = performance.now() - failedAt < REMEMBERED_MS;
      if (!isFailing || !isStreaming(request) || waiting.size >= MAX_WAITING) return;
      await new Promise<void>((resolve) => {
        const finish = (): void => {
          clearTimeout(timer);
          waiting.delete(finish);
          response.off('close', finish);
          resolve();
        };
        const timer = setTimeout(finish, PAUSE_MS);
        waiting.add(finish);
        response.once('close', finish);
      });
    },
    note(request, status) {
      if (!isStreaming(request)) return;
      // A rejected token (401 or 403) says nothing about streaming.
      if (status === 404 || status >= 500) failedAt = performance.now();
      else if (status < 300) failedAt = -Infinity;
    },
    end() {
      for (const finish of waiting) finish();
    },
  };
}

function isStreaming({ url = '' }: IncomingMessage): boolean {
  return PATH.test(url);
}
