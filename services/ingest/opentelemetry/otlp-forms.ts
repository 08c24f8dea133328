import type { IncomingMessage } from 'node:http';
import {
  type AggregatedEvaluations,
  NO_IMPACT,
  type Refusal,
  type Steps,
  aggregateEvaluations,
  inOneGo,
} from '#core/counting';
import { type Exchange, HttpProblem, checkContentType, parseJson } from '#base/http';
import {
  type KnownPoints,
  type OtlpEncoding,
  type OtlpSignal,
  type Rejected,
  type Unclear,
  type applicationsOf,
  encodeStatus,
  encodeSuccess,
  evaluationsOf,
  instanceOfBody,
  readOtlp,
} from './reading/index.ts';
import type { BodyForm, FormBatch, ReadOptions } from '../body-forms.ts';
import { type LongBodies, MAX_SHORT_BYTES } from '../bodies/long-bodies.ts';
import type { IngestMetrics } from '../metrics.ts';
import { withCamelNames } from './camel-names.ts';
import { createReadKnownPoints } from './read-known-points.ts';
import { registerResources } from './register-resources.ts';
import { surveyJson } from './survey-json.ts';

export type OtlpOptions = {
  readonly knownPoints: KnownPoints;
  readonly maxBodyBytes: number;
  readonly maxMessageBytes: number;
  readonly metrics: Pick<IngestMetrics, 'otlpIgnored'>;
  readonly longBodies: LongBodies;
};

export const OTLP_TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

/** Bodies of OTLP/HTTP (docs/use/senders/openfeature.md). What is no evaluation is ignored, and what is refused is reported to the sender. */
export function createOtlpForm(signal: OtlpSignal, encoding: OtlpEncoding, options: OtlpOptions): BodyForm {
  const { maxBodyBytes, maxMessageBytes, longBodies } = options;
  const toBatch = createToBatch(signal, encoding, options);
  const shared = {
    sentBy: 'servers',
    repeating: [],
    maxBodyBytes,
    maxMessageBytes,
    checkType,
    longBodies,
  } as const;
  const read = readBody(signal, encoding, toBatch);
  if (signal !== 'metrics') return { ...shared, read };
  const known = createReadKnownPoints(encoding, options.knownPoints);
  return {
    ...shared,
    readFast(body, readOptions) {
      const counted = known.atOnce(body, readOptions);
      return counted && inOneGo(toBatch(counted, readOptions));
    },
    *read(body, readOptions) {
      const counted = yield* known.inTurns(body, readOptions);
      return counted === undefined ? yield* read(body, readOptions) : yield* toBatch(counted, readOptions);
    },
  };
}

type ToBatch = (counted: CountedBody, options: ReadOptions) => Steps<FormBatch>;

function readBody(signal: OtlpSignal, encoding: OtlpEncoding, toBatch: ToBatch): BodyForm['read'] {
  return function* read(body, options) {
    if (encoding === 'json' && body.length > MAX_SHORT_BYTES) yield* surveyJson(body);
    const named = encoding === 'json' ? withCamelNames(body) : body;
    if (named !== body) yield;
    const encoded = encoding === 'json' ? { json: parseJson(named) } : { protobuf: body };
    yield;
    const found = yield* readOtlp(signal, encoded);
    if ('problem' in found) {
      const { problem, isTooLarge, place } = found;
      throw new HttpProblem(isTooLarge ? 413 : 400, problem, { place });
    }
    const counted = yield* aggregateEvaluations(evaluationsOf(found, options.scope), options);
    return yield* toBatch({ counted, found }, options);
  };
}

type CountedBody = { readonly counted: AggregatedEvaluations; readonly found: FoundInCounted };
type FoundInCounted = Parameters<typeof applicationsOf>[0] &
  Parameters<typeof instanceOfBody>[0] & { readonly ignored: number; readonly unclear: Unclear };

function createToBatch(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  { maxMessageBytes, metrics }: OtlpOptions,
): ToBatch {
  return function* toBatch({ counted, found }, options) {
    const registered = yield* registerResources(found, options, maxMessageBytes);
    // The answer waits for Kafka, and must not keep what was found.
    const { ignored } = found;
    const rejected = reportOf(found, counted, signal);
    return {
      ...counted,
      hasExactTime: false,
      seenTokens: [],
      impact: NO_IMPACT,
      sender: instanceOfBody(found),
      applications: registered.applications,
      refusals: [...counted.refusals, ...registered.refusals],
      acknowledge(ctx) {
        if (ignored > 0) metrics.otlpIgnored.inc({ signal }, ignored);
        write(ctx, encoding, { status: 200, body: encodeSuccess(signal, encoding, rejected) });
      },
    };
  };
}

/** Answers a problem in the form of the protocol. */
export function answerProblem(ctx: Exchange, encoding: OtlpEncoding, problem: HttpProblem): void {
  ctx.set(problem.headers);
  write(ctx, encoding, { status: problem.status, body: encodeStatus(encoding, problem.message) });
}

export function encodingOfContent(request: IncomingMessage): OtlpEncoding {
  const [type = ''] = (request.headers['content-type'] ?? '').split(';');
  return type.trim().toLowerCase() === OTLP_TYPES.protobuf ? 'protobuf' : 'json';
}

function checkType(request: IncomingMessage): void {
  if (encodingOfContent(request) === 'json') checkContentType(request, { other: OTLP_TYPES.protobuf });
}

function write(
  ctx: Exchange,
  encoding: OtlpEncoding,
  { status, body }: { readonly status: number; readonly body: Buffer },
): void {
  ctx.status = status;
  ctx.set('Content-Type', OTLP_TYPES[encoding]);
  ctx.body = body;
}

/** What was not counted and why, with an example. Undefined if all was counted. */
function reportOf(
  { unclear }: { readonly unclear: Unclear },
  { refusals, received }: { readonly refusals: readonly Refusal[]; readonly received: number },
  signal: OtlpSignal,
): Rejected | undefined {
  const count = refusals.reduce((sum, { metrics }) => sum + metrics, 0);
  const messages = [
    ...(count === 0 ? [] : [`${count} of ${received} evaluations are not counted. ${reasonsOf(refusals)}`]),
    ...(unclear.count === 0 ? [] : [`${unclear.count} ${UNCLEAR[signal]} (${unclear.example})`]),
  ];
  return messages.length === 0 ? undefined : { count, message: messages.join('. ') };
}

const UNCLEAR: Readonly<Record<OtlpSignal, string>> = {
  logs: 'log records name a flag, but no result, and are not counted',
  traces: 'spans or events name a flag, but no result, and are not counted',
  metrics:
    'data points name a flag, but no result, or do not count evaluations by their name, and are not counted',
};

function reasonsOf(refusals: readonly Refusal[]): string {
  const byReason = new Map<string, number>();
  for (const { reason, metrics } of refusals) byReason.set(reason, (byReason.get(reason) ?? 0) + metrics);
  const reasons = Array.from(byReason, ([reason, metrics]) => `${reason}: ${metrics}`).join(', ');
  const example = refusals[0]?.sample === '' ? '' : ` (${refusals[0]?.sample ?? ''})`;
  return `${reasons}${example}`;
}
