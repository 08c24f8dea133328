import { once } from 'node:events';
import type { ClientRequest, IncomingMessage, ServerResponse } from 'node:http';
import { BROWSER_HEADERS, type TrustedProxies, cutTinyChunks } from '#base/http';
import { PassTimeout, createDeadlines } from './deadlines.ts';
import { prepareAnswerHeaders, prepareRequestHeaders } from './headers.ts';
import type { PassMetrics, PassOutcome } from './metrics.ts';
import type { Proxy } from './proxy.ts';
import { type Streams, isStream } from './streams.ts';

export type Passing = {
  readonly proxy: Proxy;
  readonly streams: Streams;
  readonly requestTimeoutMs: number;
  readonly trustedProxies: TrustedProxies | undefined;
  readonly seconds: PassMetrics['seconds'];
};

/** The status is the one that Unleash sent. */
export type Passage = { readonly outcome: PassOutcome; readonly status: number | undefined };

type Client = { readonly req: IncomingMessage; readonly res: ServerResponse };

type Seen = { outgoing?: ClientRequest; answer?: IncomingMessage; isCut: boolean };

/**
 * Passes one request to Unleash, and its answer to the client. Without an answer the response is untouched, and the caller must
 * answer.
 */
export async function passRequest(
  { req: request, res: response }: Client,
  passing: Passing,
): Promise<Passage> {
  const { proxy, streams, requestTimeoutMs, trustedProxies, seconds } = passing;
  const deadlines = createDeadlines(request, requestTimeoutMs);
  const stopTimer = seconds.startTimer();
  const seen: Seen = { isCut: false };
  prepareRequestHeaders(request, trustedProxies);
  cutTinyChunks(request);
  try {
    await proxy.pass({
      request,
      response,
      onRequest(sent) {
        seen.outgoing = sent;
        deadlines.onRequest(sent);
      },
      onAnswer(received) {
        stopTimer();
        seen.answer = received;
        deadlines.onAnswer(isStream(received));
        received.once('error', () => {
          seen.isCut = !response.destroyed;
        });
        // These headers are for our own answers; Unleash sets its own.
        for (const name of Object.keys(BROWSER_HEADERS)) response.removeHeader(name);
        prepareAnswerHeaders(received.headers, response.shouldKeepAlive);
        if (isStream(received) && seen.outgoing !== undefined)
          streams.add({ outgoing: seen.outgoing, answer: received, response });
      },
    });
  } catch (error) {
    // The proxy also reports errors that occur after the headers of the answer.
    if (seen.answer === undefined) return failureOf(error, response);
    if (!response.closed) await once(response, 'close');
  } finally {
    deadlines.end();
  }
  const outcome = seen.isCut ? 'cut' : response.writableFinished ? 'answered' : 'left';
  return { outcome, status: seen.answer?.statusCode };
}

function failureOf(error: unknown, { closed, headersSent }: ServerResponse): Passage {
  const isOver = closed || headersSent;
  const outcome = isOver ? 'left' : error instanceof PassTimeout ? 'timeout' : 'unreachable';
  return { outcome, status: undefined };
}
