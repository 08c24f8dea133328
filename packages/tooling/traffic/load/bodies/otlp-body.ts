import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { BodyBasis, LoadBody } from './body.ts';
import { type Key, appNameOf, featureNameOf, hasVariants } from './keys.ts';
import { headOf } from './request-head.ts';
import type { Sums } from './slots.ts';
import { firstState, nextState } from './xorshift.ts';

export type OtlpBodyOptions = BodyBasis & {
  readonly encoding: 'protobuf' | 'json';
};

const PROVIDER = 'flagd';
const INSTANCE = '-'.repeat(36);
const INTERVAL_S = 60;

/**
 * A whole HTTP request with delta counters of OpenTelemetry, serialised once: a point for each key, from an instance of the
 * application of the first key. Its slots have a fixed width in both encodings. The instance is the sender, and the end of the
 * first point's interval has the number of the request, so no two requests are equal.
 */
export class OtlpBody implements LoadBody {
  readonly bytes: Buffer;
  readonly #points: readonly Slot[];
  readonly #encoding: OtlpBodyOptions['encoding'];
  readonly #second: bigint;
  readonly #timeAt: number;
  readonly #instanceAt: number;
  readonly #seed: number;

  constructor(options: OtlpBodyOptions) {
    const { keys, encoding, startedAt, seed } = options;
    if (keys.length === 0) throw new RangeError('a body has points');
    this.#second = BigInt(Math.floor(startedAt.getTime() / 1000));
    this.#encoding = encoding;
    this.#seed = seed;
    const content = contentOf(keys, this.#second);
    const body = encoding === 'json' ? Buffer.from(toJson(content)) : Buffer.from(toProtobuf(content));
    const head = headOf(options, {
      'Content-Type': encoding === 'json' ? 'application/json' : 'application/x-protobuf',
      'Content-Length': body.length,
    });
    this.bytes = Buffer.concat([head, body]);
    this.#instanceAt = this.bytes.indexOf(INSTANCE);
    const { time, value } = slotMarksOf(encoding, content);
    this.#timeAt = this.bytes.indexOf(time) + time.length - (encoding === 'json' ? 0 : 8);
    let at = 0;
    this.#points = keys.map(({ feature }) => {
      at = this.bytes.indexOf(value, at) + value.length;
      return { at: encoding === 'json' ? at : at - 8, hasVariant: hasVariants(feature) };
    });
  }

  fill(sequence: number, sender: Buffer): Sums {
    const { bytes } = this;
    sender.copy(bytes, this.#instanceAt);
    const nanoseconds = this.#second * 1_000_000_000n + BigInt(sequence % 1_000_000_000);
    if (this.#encoding === 'json') bytes.write(String(nanoseconds), this.#timeAt, 'latin1');
    else bytes.writeBigUInt64LE(nanoseconds, this.#timeAt);
    let state = firstState(sequence, this.#seed);
    let [yes, variants] = [0, 0];
    for (const { at, hasVariant: counts } of this.#points) {
      state = nextState(state);
      const value = 1000 + ((state >>> 0) % 9000);
      if (this.#encoding === 'json') bytes.write(String(value), at, 'latin1');
      else bytes.writeBigInt64LE(BigInt(value), at);
      yes += value;
      if (counts) variants += value;
    }
    return { rows: this.#points.length, yes, no: 0, variants };
  }
}

type Slot = { readonly at: number; readonly hasVariant: boolean };

type Point = { readonly attributes: Attributes; readonly start: bigint; readonly end: bigint };
type Attributes = Readonly<Record<string, string>>;
type Content = { readonly resource: Attributes; readonly points: readonly Point[] };

/** Looks like no other bytes of a body. */
const VALUE = 0x5eed_5eed_5eed_5eedn;

function contentOf(keys: readonly Key[], second: bigint): Content {
  const [first] = keys;
  const resource = {
    'service.name': appNameOf(first?.app ?? 0),
    'service.instance.id': INSTANCE,
    'deployment.environment.name': first?.environment ?? '',
    'telemetry.sdk.name': 'opentelemetry',
    'telemetry.sdk.language': 'nodejs',
    'telemetry.sdk.version': '2.2.0',
  };
  const end = second * 1_000_000_000n;
  const points = keys.map(({ feature }) => ({
    attributes: {
      'feature_flag.key': featureNameOf(feature),
      'feature_flag.provider.name': PROVIDER,
      'feature_flag.result.reason': 'targeting_match',
      ...(hasVariants(feature)
        ? { 'feature_flag.result.variant': 'blue' }
        : { 'feature_flag.result.value': 'true' }),
    },
    start: end - BigInt(INTERVAL_S) * 1_000_000_000n,
    end,
  }));
  return { resource, points };
}

/** What stands before the slots of JSON, and what fills those of protobuf until they are used: of the first time, and of values. */
function slotMarksOf(encoding: OtlpBodyOptions['encoding'], { points: [first] }: Content) {
  if (encoding === 'json') return { time: Buffer.from('"timeUnixNano":"'), value: Buffer.from('"asInt":"') };
  const [time, value] = [Buffer.alloc(8), Buffer.alloc(8)];
  time.writeBigUInt64LE(first?.end ?? 0n);
  value.writeBigInt64LE(VALUE);
  return { time, value };
}

const METRIC = 'feature_flag.evaluations';

function toJson({ resource, points }: Content): string {
  const listed = (attributes: Attributes) =>
    Object.entries(attributes).map(([key, stringValue]) => ({ key, value: { stringValue } }));
  const dataPoints = points.map(({ attributes, start, end }) => ({
    attributes: listed(attributes),
    startTimeUnixNano: String(start),
    timeUnixNano: String(end),
    asInt: '0000',
  }));
  const sum = { dataPoints, aggregationTemporality: 1, isMonotonic: true };
  const scopeMetrics = [{ scope: { name: PROVIDER }, metrics: [{ name: METRIC, sum }] }];
  return JSON.stringify({
    resourceMetrics: [{ resource: { attributes: listed(resource) }, scopeMetrics }],
  });
}

function toProtobuf({ resource, points }: Content): Uint8Array {
  const embed = (writer: BinaryWriter, field: number, write: (inner: BinaryWriter) => void): void => {
    const inner = new BinaryWriter();
    write(inner);
    writer.tag(field, WireType.LengthDelimited).bytes(inner.finish());
  };
  const writeAttributes = (writer: BinaryWriter, field: number, attributes: Attributes): void => {
    for (const [key, value] of Object.entries(attributes))
      embed(writer, field, (pair) => {
        pair.tag(1, WireType.LengthDelimited).string(key);
        embed(pair, 2, (any) => any.tag(1, WireType.LengthDelimited).string(value));
      });
  };
  const writeSum = (sum: BinaryWriter): void => {
    for (const { attributes, start, end } of points)
      embed(sum, 1, (point) => {
        writeAttributes(point, 7, attributes);
        point.tag(2, WireType.Bit64).fixed64(start);
        point.tag(3, WireType.Bit64).fixed64(end);
        point.tag(6, WireType.Bit64).sfixed64(VALUE);
      });
    sum.tag(2, WireType.Varint).int32(1);
    sum.tag(3, WireType.Varint).bool(true);
  };
  const writer = new BinaryWriter();
  embed(writer, 1, (resourceMetrics) => {
    embed(resourceMetrics, 1, (of) => {
      writeAttributes(of, 1, resource);
    });
    embed(resourceMetrics, 2, (scopeMetrics) => {
      embed(scopeMetrics, 2, (metric) => {
        metric.tag(1, WireType.LengthDelimited).string(METRIC);
        embed(metric, 7, writeSum);
      });
    });
  });
  return writer.finish();
}
