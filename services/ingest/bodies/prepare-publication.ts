import type { Exchange } from '#base/http';
import { hourOf } from '#base/schema';
import {
  type Application,
  type BatchNames,
  type CountsEncoder,
  type DistinctNames,
  type Refusal,
  type RefusalLimits,
  type Registration,
  type RepeatedRest,
  type Sender,
  type Steps,
  batchIdOf,
  encodeRegistrations,
  keyOfSender,
  registrationOf,
} from '#core/counting';
import type { ApiToken } from '#base/tokens';
import type { BodyForm, FormBatch, ReadOptions } from '../body-forms.ts';
import { type IngestMetrics, countUnmirrored } from '../metrics.ts';
import type { KnownRegistrations } from '../publish/known-registrations.ts';
import type { Publication } from '../publish/publisher.ts';

export type PublicationOptions = {
  readonly form: BodyForm;
  readonly encoder: CountsEncoder;
  readonly metrics: IngestMetrics;
  readonly limits: RefusalLimits;
  readonly names: DistinctNames;
  readonly knownRegistrations: KnownRegistrations;
  /** Whether flagmeter runs in front of Unleash without a mirror. */
  readonly isUnmirrored?: boolean;
  /** Receives the tokens that a relay has seen, and the Authorization header of the relay. */
  readonly onSeenTokens: (secrets: readonly string[], authorization: string) => void;
  /** Receives what is refused of a stored batch. */
  readonly onRefused: (ctx: Exchange, tokenId: string, refusals: readonly Refusal[]) => void;
};

/** What a request says beside its body. */
export type Sent = {
  readonly token: ApiToken;
  /** The sender according to the headers. */
  readonly sender: Sender | undefined;
  /** The trace that the message continues. */
  readonly traceparent: string | undefined;
  readonly authorization: string | undefined;
};

/** A body that is being read, and what it is read with. */
export type Reading = {
  readonly sent: Sent;
  readonly body: Buffer;
  readonly options: ReadOptions;
  readonly names: BatchNames;
};

export type Prepared = {
  readonly message: Publication;
  /** Its names; they count once they are committed. */
  readonly names: BatchNames;
  /** Counts the batch in the metrics, and remembers what it registered. */
  readonly onStored: (ctx: Exchange) => void;
  readonly acknowledge: (ctx: Exchange) => void;
};

/** Begins to read a body: from now on its names are compared with those that its token has sent before. */
export function beginReading(
  body: Buffer,
  sent: Sent,
  {
    names: distinctNames,
    limits,
    knownRegistrations,
  }: Pick<PublicationOptions, 'names' | 'limits' | 'knownRegistrations'>,
): Reading {
  const { token } = sent;
  const receivedAt = Date.now();
  const names = distinctNames.of(token.id, hourOf(receivedAt));
  const recognise = (rest: Uint8Array): RepeatedRest =>
    knownRegistrations.recognise(token.id, receivedAt, rest);
  const options = {
    receivedAt,
    allowedEnvironment: token.environment,
    limits,
    names,
    recognise,
    scope: token,
  };
  return { sent, body, options, names };
}

/** Encodes the messages of a batch. Nothing is published or counted by the metrics yet. */
export function preparePublication(
  batch: FormBatch,
  reading: Reading,
  options: PublicationOptions,
): Prepared {
  const { sent, options: readOptions } = reading;
  const registrations = batch.applications.map((one) => registrationOf(one, readOptions.receivedAt));
  const selected = options.knownRegistrations.select(sent.token.id, registrations, batch.rest);
  return encodePublication({ batch, selected }, reading, options);
}

/** The same in steps. A generator would cost a body of ten rows a tenth of its time. */
export function* prepareInSteps(
  batch: FormBatch,
  reading: Reading,
  options: PublicationOptions,
): Steps<Prepared> {
  const selected = yield* selectInSteps(batch.applications, reading, options);
  return encodePublication({ batch, selected }, reading, options);
}

/** The registrations that need a message. */
type Selected = ReturnType<KnownRegistrations['select']>;

function encodePublication(
  { batch, selected: { unknown, remember } }: { readonly batch: FormBatch; readonly selected: Selected },
  { sent, body, options: { receivedAt }, names }: Reading,
  { form, encoder, metrics, onSeenTokens, onRefused, isUnmirrored = false }: PublicationOptions,
): Prepared {
  const { received, applications, recognised = 0, seenTokens, impact, points = [] } = batch;
  const { token, traceparent, authorization = '' } = sent;
  const sender = repeatingSender(sent.sender, form, batch);
  const batchId = batchIdOf(token.id, sender, body);
  // `onStored` may wait for half a minute, so it must not keep the sums or the evaluations of the body.
  const stored = { received, samples: impact.received, refusals: batch.refusals };
  const registered = { sent: unknown.length, known: recognised + applications.length - unknown.length };
  return {
    message: {
      batchId,
      sender,
      applications: unknown.length === 0 ? undefined : encodeRegistrations(unknown),
      counts: encodeCounts(encoder, { batchId, receivedAt, token, traceparent, form }, batch),
      hasPoints: points.length > 0,
      // The SDK for PHP posts within the request of a user, and its times are whole seconds.
      longestWaitMs: batch.hasExactTime ? (form.longestWaitMs ?? 0) : 0,
    },
    names,
    acknowledge: batch.acknowledge ?? accept,
    onStored: (ctx) => {
      remember();
      if (isUnmirrored)
        countUnmirrored(metrics, {
          metrics: received,
          samples: stored.samples,
          applications: registered.sent,
        });
      if (seenTokens.length > 0) onSeenTokens(seenTokens, authorization);
      if (stored.refusals.length > 0) onRefused(ctx, token.id, stored.refusals);
      countOutcomes(metrics, stored, registered);
    },
  };
}

const APPLICATIONS_OF_STEP = 64;

function* selectInSteps(
  applications: readonly Application[],
  { sent: { token }, options: { receivedAt } }: Reading,
  { knownRegistrations }: Pick<PublicationOptions, 'knownRegistrations'>,
): Steps<Selected> {
  const unknown: Registration[] = [];
  const remembers: (() => void)[] = [];
  for (let from = 0; from < applications.length; from += APPLICATIONS_OF_STEP) {
    if (from > 0) yield;
    const part = applications.slice(from, from + APPLICATIONS_OF_STEP);
    const registrations = part.map((application) => registrationOf(application, receivedAt));
    const selected = knownRegistrations.select(token.id, registrations);
    unknown.push(...selected.unknown);
    remembers.push(selected.remember);
  }
  return {
    unknown,
    remember: () => {
      for (const remember of remembers) remember();
    },
  };
}

/** Undefined if there is nothing to count or to report. An empty bucket says that its time is not missing. */
function encodeCounts(
  encoder: CountsEncoder,
  {
    batchId,
    receivedAt,
    token,
    traceparent,
    form,
  }: Pick<Sent, 'token' | 'traceparent'> & {
    readonly batchId: string;
    readonly receivedAt: number;
    readonly form: BodyForm;
  },
  { received, sums, refusals, impact, reasons, points, span: ofInstance }: FormBatch,
): Buffer | undefined {
  // The instances of browsers are tabs, which nobody waits for.
  const span = form.isFirstHand === true ? ofInstance : undefined;
  const isEmpty = received === 0 && refusals.length === 0 && impact.received === 0;
  if (isEmpty && span === undefined) return undefined;
  const { id: tokenId, origin: owner } = token;
  const isTrusted = token.isTrusted === true && form.isFirstHand === true;
  // Every member is listed, because spreading another object took a fifth of the time of a body of ten rows.
  const envelope = {
    batchId,
    receivedAt,
    tokenId,
    owner,
    isTrusted,
    traceparent,
    received,
    impact,
    reasons,
    points,
    span,
  };
  return encoder.encode(envelope, sums, refusals);
}

function countOutcomes(
  metrics: IngestMetrics,
  { received, samples, refusals }: Pick<FormBatch, 'received' | 'refusals'> & { readonly samples: number },
  { sent, known }: { readonly sent: number; readonly known: number },
): void {
  metrics.received.inc(received);
  if (samples > 0) metrics.receivedSamples.inc(samples);
  if (sent > 0) metrics.registrations.inc({ outcome: 'sent' }, sent);
  if (known > 0) metrics.registrations.inc({ outcome: 'known' }, known);
  for (const { kind, reason, metrics: count } of refusals) {
    if (kind === 'metric') metrics.refused.inc({ reason }, count);
    else if (kind === 'sample') metrics.refusedSamples.inc({ reason }, count);
  }
}

/**
 * The key of the sender, if the same body from it can only be a retry. Undefined if equal bodies may both count: then any partition will
 * do.
 */
function repeatingSender(
  sender: Sender | undefined,
  { repeating }: BodyForm,
  { hasExactTime, sender: ofBody }: Pick<FormBatch, 'hasExactTime' | 'sender'>,
): string | undefined {
  if (sender === undefined) return ofBody;
  const isRepeating = sender.kind === 'key' || (hasExactTime && repeating.includes(sender.kind));
  return isRepeating ? keyOfSender(sender.name) : ofBody;
}

function accept(ctx: Exchange): void {
  ctx.body = null;
  ctx.status = 202;
}
