import type { IncomingMessage } from 'node:http';
import type { Context } from 'koa';
import {
  type BatchNames,
  type CountsEncoder,
  type DistinctNames,
  type RefusalLimits,
  type Sender,
  batchIdOf,
  encodeRegistrations,
  hourOf,
  registrationOf,
  senderOf,
} from '#counting';
import { HttpProblem, checkContentType, checkDeclaredLength, encodingOf, readBody } from '#http';
import { currentSpan, inBackground, wellFormedTraceparent } from '#runtime';
import type { ApiToken } from '#tokens';
import type { Admission, Reservation } from './admission.ts';
import type { BodyForm, FormBatch } from './body-forms.ts';
import { type IngestMetrics, countUnmirrored } from './metrics.ts';
import type { PublishOutcome } from './publish/partition-sender.ts';
import type { KnownRegistrations } from './publish/known-registrations.ts';
import type { Publication, Publisher } from './publish/publisher.ts';

export type ReceiveOptions = {
  readonly form: BodyForm;
  readonly encoder: CountsEncoder;
  readonly admission: Admission;
  /** Undefined until Kafka has answered for the first time. */
  readonly publisher: () => Publisher | undefined;
  readonly metrics: IngestMetrics;
  readonly maxBodyBytes: number;
  readonly limits: RefusalLimits;
  readonly names: DistinctNames;
  readonly knownRegistrations: KnownRegistrations;
  /** Whether flagmeter runs in front of Unleash without a mirror. */
  readonly isUnmirrored?: boolean;
  /** How long a request with an unknown outcome is kept open. */
  readonly expiryMs: number;
  /** Receives the tokens that a relay has seen, and the Authorization header of the relay. */
  readonly onSeenTokens: (secrets: readonly string[], authorization: string) => void;
};

/** The memory that one chunk of a body needs in addition to its bytes. */
const CHUNK_BYTES = 256;

const PUBLISH = { 'messaging.system': 'kafka', 'messaging.operation.type': 'send' } as const;

/**
 * Receives one batch. Path and token are already checked. The other checks run in this order, cheapest first: content type,
 * encoding, declared length, room, then the body within its limit and the room, JSON, schema. The only effect is the
 * publication. Its outcome decides the answer; an unknown outcome gets no answer.
 */
export async function receiveBatch(ctx: Context, token: ApiToken, options: ReceiveOptions): Promise<void> {
  const { admission, metrics, form } = options;
  const { checkType = checkContentType, maxBodyBytes = options.maxBodyBytes } = form;
  const stopTimer = metrics.seconds.startTimer();
  checkType(ctx.req);
  const encoding = encodingOf(ctx.req);
  checkDeclaredLength(ctx.req, encoding, maxBodyBytes);
  const sender = senderOfRequest(ctx.req);
  const publisher = options.publisher();
  if (publisher === undefined || publisher.isRejecting(sender?.name)) throw unavailable();
  const room = admission.reserve(token.id, expectedBytes(ctx, encoding, maxBodyBytes));
  if (room === undefined) throw unavailable();
  let publication: Promise<PublishOutcome> | undefined;
  try {
    // Room is taken as bytes arrive, so that a slow client reserves none for bytes that it has not sent.
    const onBytes = (bytes: number): void => {
      if (!room.add(bytes + CHUNK_BYTES)) throw unavailable();
    };
    const body = await readBody(ctx.req, { encoding, limit: maxBodyBytes, onBytes });
    if (form.turn !== undefined) await form.turn();
    const receivedAt = Date.now();
    // Without tracing, or if this request is not sampled, the message continues the trace of the caller.
    const span = currentSpan()?.child('publish', { kind: 'producer', attributes: PUBLISH });
    const traceparent = span?.traceparent ?? wellFormedTraceparent(header(ctx.req, 'traceparent') ?? '');
    const received = {
      token,
      body,
      sender,
      receivedAt,
      traceparent,
      authorization: header(ctx.req, 'authorization'),
    };
    const { message, names, onStored, acknowledge } = preparePublication(received, options);
    checkMessageLength(message, form);
    // The encoded applications contain defaults for absent fields, so they may be longer than the body.
    if (!room.grow(sizeOf(message))) throw unavailable();
    // Committed before Kafka answers: otherwise batches that wait at the same time would not count each other's names.
    names.commit();
    publication = publisher.publish(message);
    const outcome = await Promise.race([publication, clientGone(ctx, options.expiryMs)]);
    span?.end(outcome === 'stored' ? undefined : outcome);
    if (outcome === 'stored') onStored();
    answer(ctx, outcome, acknowledge);
    if (outcome === 'stored') stopTimer();
  } finally {
    // The room stays reserved until Kafka has answered, even if the client has left.
    if (publication === undefined) room.release();
    else inBackground(releaseAfter(publication, room), () => undefined); // the error is handled where the request is answered
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
function expectedBytes(ctx: Context, encoding: string, maxBodyBytes: number): number {
  const declared = ctx.req.headers['content-length'];
  return encoding === 'identity' && declared !== undefined ? Number(declared) : maxBodyBytes;
}

type Received = {
  readonly token: ApiToken;
  readonly body: Buffer;
  /** The sender according to the headers. */
  readonly sender: Sender | undefined;
  readonly receivedAt: number;
  /** The trace that the message continues. */
  readonly traceparent: string | undefined;
  readonly authorization: string | undefined;
};

function preparePublication(
  { token, body, sender: claimed, receivedAt, traceparent, authorization = '' }: Received,
  {
    form,
    encoder,
    limits,
    names: distinctNames,
    knownRegistrations,
    metrics,
    onSeenTokens,
    isUnmirrored = false,
  }: ReceiveOptions,
): { message: Publication; names: BatchNames; onStored: () => void; acknowledge: (ctx: Context) => void } {
  const names = distinctNames.of(token.id, hourOf(receivedAt));
  const options = { receivedAt, allowedEnvironment: token.environment, limits, names, scope: token };
  const batch = form.read(body, options);
  const { received, sums, refusals, applications, seenTokens, impact, reasons, acknowledge = accept } = batch;
  const sender = repeatingSender(claimed, form, batch);
  const batchId = batchIdOf(token.id, sender, body);
  const envelope = { batchId, receivedAt, tokenId: token.id, traceparent, received, impact, reasons };
  const registrations = applications.map((application) => registrationOf(application, receivedAt));
  const { unknown, remember } = knownRegistrations.select(token.id, registrations);
  const hasCounts = received > 0 || refusals.length > 0 || impact.received > 0;
  return {
    message: {
      batchId,
      sender,
      applications: unknown.length === 0 ? undefined : encodeRegistrations(unknown),
      counts: hasCounts ? encoder.encode(envelope, sums, refusals) : undefined,
    },
    names,
    acknowledge,
    onStored: () => {
      remember();
      if (isUnmirrored)
        countUnmirrored(metrics, {
          metrics: received,
          samples: impact.received,
          applications: unknown.length,
        });
      if (seenTokens.length > 0) onSeenTokens(seenTokens, authorization);
      metrics.received.inc(received);
      if (impact.received > 0) metrics.receivedSamples.inc(impact.received);
      if (unknown.length > 0) metrics.registrations.inc({ outcome: 'sent' }, unknown.length);
      const knownCount = registrations.length - unknown.length;
      if (knownCount > 0) metrics.registrations.inc({ outcome: 'known' }, knownCount);
      for (const { kind, reason, metrics: count } of refusals) {
        if (kind === 'metric') metrics.refused.inc({ reason }, count);
        else if (kind === 'sample') metrics.refusedSamples.inc({ reason }, count);
      }
    },
  };
}

/**
 * The sender, if the same body from it can only be a retry. Undefined if equal bodies may both count: then any partition will
 * do.
 */
function repeatingSender(
  sender: Sender | undefined,
  { repeating }: BodyForm,
  { hasExactTime, sender: ofBody }: Pick<FormBatch, 'hasExactTime' | 'sender'>,
): string | undefined {
  if (sender === undefined) return ofBody;
  const isRepeating = sender.kind === 'key' || (hasExactTime && repeating.includes(sender.kind));
  return isRepeating ? sender.name : ofBody;
}

/** Throws a 413 if one of the messages is longer than the form allows. */
function checkMessageLength(
  { applications = '', counts }: Publication,
  { maxMessageBytes = Infinity }: BodyForm,
): void {
  if (Math.max(applications.length, counts?.length ?? 0) > maxMessageBytes)
    throw new HttpProblem(413, 'The body has too many different names. Send it in smaller parts.');
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

function answer(ctx: Context, outcome: PublishOutcome | 'gone', acknowledge: (ctx: Context) => void): void {
  if (outcome === 'not-stored') throw unavailable();
  if (outcome === 'stored') acknowledge(ctx);
  else leaveUnanswered(ctx);
}

function accept(ctx: Context): void {
  ctx.body = null;
  ctx.status = 202;
}

/** Closes the connection. After a 503 the relay would merge a batch that may be stored into another body. */
export function leaveUnanswered(ctx: Context): void {
  ctx.respond = false;
  ctx.req.socket.destroy();
}

function unavailable(): HttpProblem {
  return new HttpProblem(503, 'The batch was not stored. Send it again later.', {
    headers: { 'Retry-After': '5' },
  });
}

/** Resolves when the client has left, or at the latest after `expiryMs`. */
function clientGone(ctx: Context, expiryMs: number): Promise<'gone'> {
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
