import type { IncomingMessage } from 'node:http';
import { type Sender, senderOf } from '#core/counting';
import {
  type Exchange,
  HttpProblem,
  addressOf,
  checkContentType,
  checkDeclaredLength,
  encodingOf,
  readEncodedBody,
} from '#base/http';
import { currentSpan, inBackground, wellFormedTraceparent } from '#base/runtime';
import type { ApiToken } from '#base/tokens';
import { type Admission, CHUNK_BYTES, type Reservation, inBoth } from './bodies/admission.ts';
import type { BodyForm } from './body-forms.ts';
import type { LongWork } from './bodies/long-bodies.ts';
import { checkMessageLength } from './bodies/message-length.ts';
import { prepareBody } from './bodies/prepare-body.ts';
import type { Prepared, PublicationOptions } from './bodies/prepare-publication.ts';
import type { PublishOutcome } from './publish/pending.ts';
import type { Publication, Publisher } from './publish/publisher.ts';

export type ReceiveOptions = PublicationOptions & {
  readonly admission: Admission;
  /** The same for single visitors of pages. */
  readonly visitors: Admission;
  /** Undefined until Kafka has answered for the first time. */
  readonly publisher: () => Publisher | undefined;
  readonly maxBodyBytes: number;
  /** How long a request with an unknown outcome is kept open. */
  readonly expiryMs: number;
};

const PUBLISH = { 'messaging.system': 'kafka', 'messaging.operation.type': 'send' } as const;

/**
 * Receives one batch. Path and token are already checked. The other checks run in this order, cheapest first: content type,
 * encoding, declared length, room, then the body within its limit and the room, JSON, schema. The only effect is the
 * publication. Its outcome decides the answer; an unknown outcome gets no answer.
 */
export async function receiveBatch(ctx: Exchange, token: ApiToken, options: ReceiveOptions): Promise<void> {
  const { admission, metrics, form } = options;
  const { checkType = checkContentType, maxBodyBytes = options.maxBodyBytes } = form;
  const stopTimer = metrics.seconds.startTimer();
  checkType(ctx.req);
  const encoding = encodingOf(ctx.req);
  checkDeclaredLength(ctx.req, encoding, maxBodyBytes);
  const sender = senderOfRequest(ctx.req);
  const publisher = options.publisher();
  if (publisher === undefined || (form.longestWaitMs === undefined && publisher.isRejecting(sender)))
    throw unavailable();
  const expects = expectedBytes(ctx, encoding, maxBodyBytes);
  const room =
    form.sentBy === 'servers'
      ? admission.reserve(token.id, expects)
      : reserveForVisitor(ctx, token, { admission, visitors: options.visitors, expects });
  if (room === undefined) throw unavailable();
  let publication: Promise<PublishOutcome> | undefined;
  try {
    // Room is taken as bytes arrive, so that a slow client reserves none for bytes that it has not sent.
    const onBytes = (bytes: number): void => {
      if (!room.add(bytes + CHUNK_BYTES)) throw unavailable();
    };
    const bytes = await readEncodedBody(ctx.req, { encoding, limit: maxBodyBytes, onBytes });
    // Without tracing, or if this request is not sampled, the message continues the trace of the caller.
    const span = currentSpan()?.child('publish', { kind: 'producer', attributes: PUBLISH });
    const traceparent = span?.traceparent ?? wellFormedTraceparent(header(ctx.req, 'traceparent') ?? '');
    const sent = { token, sender, traceparent, authorization: header(ctx.req, 'authorization') };
    const begun = prepareBody({ bytes, encoding, limit: maxBodyBytes, onBytes }, sent, options);
    const prepared = 'inSteps' in begun ? await doInTurn(ctx, token, { form, ...begun }) : begun;
    if (prepared === undefined) {
      leaveUnanswered(ctx);
      return;
    }
    const { message, names, onStored, acknowledge } = prepared;
    checkMessageLength(message, form);
    // The encoded applications contain defaults for absent fields, so they may be longer than the body.
    if (!room.grow(sizeOf(message))) throw unavailable();
    // Committed before Kafka answers: otherwise batches that wait at the same time would not count each other's names.
    names.commit();
    publication = publisher.publish(message);
    const outcome = await Promise.race([publication, clientGone(ctx, options.expiryMs)]);
    span?.end(outcome === 'stored' ? undefined : outcome);
    if (outcome === 'stored') onStored(ctx);
    answer(ctx, outcome, acknowledge);
    if (outcome === 'stored') stopTimer();
  } finally {
    // The room stays reserved until Kafka has answered, even if the client has left.
    if (publication === undefined) room.release();
    else inBackground(releaseAfter(publication, room), () => undefined); // the error is handled where the request is answered
  }
}

type Reserving = Pick<ReceiveOptions, 'admission' | 'visitors'> & { readonly expects: number };

/** Undefined if there is no room for the token, or for this visitor of its page. */
function reserveForVisitor(
  { ip }: Exchange,
  { id }: ApiToken,
  { admission, visitors, expects }: Reserving,
): Reservation | undefined {
  const room = admission.reserve(id, expects);
  if (room === undefined) return undefined;
  const ofVisitor = visitors.reserve(`${id} ${addressOf(ip)}`, expects);
  if (ofVisitor === undefined) room.release();
  return ofVisitor && inBoth(room, ofVisitor);
}

/** Undefined if the client has left meanwhile. */
async function doInTurn(
  { res }: Exchange,
  { id }: ApiToken,
  { form, inSteps }: { readonly form: BodyForm; readonly inSteps: LongWork<Prepared> },
): Promise<Prepared | undefined> {
  const unwanted = new AbortController();
  const leave = (): void => {
    unwanted.abort();
  };
  res.once('close', leave);
  try {
    return await form.longBodies.work(id, inSteps, unwanted.signal);
  } catch (error) {
    if (unwanted.signal.aborted) return undefined;
    throw error;
  } finally {
    res.off('close', leave);
  }
}

async function releaseAfter(publication: Promise<PublishOutcome>, room: Reservation): Promise<void> {
  try {
    await publication;
  } finally {
    room.release();
  }
}

/** The declared length; the limit if the length shows only while reading. */
function expectedBytes(ctx: Exchange, encoding: string, maxBodyBytes: number): number {
  const declared = ctx.req.headers['content-length'];
  return encoding === 'identity' && declared !== undefined ? Number(declared) : maxBodyBytes;
}

function sizeOf({ applications = '', counts }: Publication): number {
  return Buffer.byteLength(applications) + (counts?.length ?? 0);
}

/** The sender according to the headers; undefined if they name none. */
export function senderOfRequest(request: IncomingMessage): Sender | undefined {
  return senderOf({
    idempotencyKey: header(request, 'idempotency-key'),
    connectionId: header(request, 'unleash-connection-id'),
    instanceId: header(request, 'unleash-instanceid'),
    appName: header(request, 'unleash-appname'),
    userAgent: header(request, 'user-agent'),
  });
}

function answer(ctx: Exchange, outcome: PublishOutcome | 'gone', acknowledge: (ctx: Exchange) => void): void {
  if (outcome === 'not-stored') throw unavailable();
  if (outcome === 'stored') acknowledge(ctx);
  else leaveUnanswered(ctx);
}

/** Closes the connection. After a 503 the relay would merge a batch that may be stored into another body. */
export function leaveUnanswered(ctx: Exchange): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

function unavailable(): HttpProblem {
  return new HttpProblem(503, 'The batch was not stored. Send it again later.', {
    headers: { 'Retry-After': '5' },
  });
}

/** Resolves when the client has left, or at the latest after `expiryMs`. */
function clientGone(ctx: Exchange, expiryMs: number): Promise<'gone'> {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, expiryMs, 'gone');
    ctx.res.once('close', () => {
      clearTimeout(timer);
      resolve('gone');
    });
  });
}

/** Undefined if the header is absent or empty. */
function header({ headers }: IncomingMessage, name: string): string | undefined {
  const value = headers[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
}
