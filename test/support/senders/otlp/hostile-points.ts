import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import fc from 'fast-check';
import { RECEIVED_AT } from '../../builders/builders.ts';
import { type OtlpValue, embed, finish, valueBytes } from './otlp-values.ts';

type Write = (writer: BinaryWriter) => void;

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const HOUR = 3_600_000_000_000n;

const keys = fc.constantFrom(
  'feature_flag.key',
  'feature_flag.result.variant',
  'feature_flag.result.value',
  'feature_flag.result.reason',
  'feature_flag.provider.name',
  'error.type',
  'key',
  'variant',
  'feature_flag.default',
  'other',
);
const values: fc.Arbitrary<OtlpValue> = fc.constantFrom<OtlpValue>(
  'basket',
  'search',
  'blue',
  'off',
  'true',
  'static',
  'Error',
  'shop',
  'other',
  '__proto__',
  '',
  'ü',
  'a\0',
  'x'.repeat(256),
  true,
  false,
  3n,
  1.5,
  ['a'],
  { a: 'b' },
);

/** An attribute with its name first, or in a form that few write. */
const attribute = fc
  .tuple(keys, values, fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, 2, 3, 4))
  .map(([key, value, form]) =>
    finish((writer) => {
      if (form === 1) embed(writer, 2, valueBytes(value));
      writer.tag(1, WireType.LengthDelimited).bytes(form === 2 ? Buffer.from([0xff]) : Buffer.from(key));
      if (form !== 1) embed(writer, 2, valueBytes(value));
      if (form === 3) embed(writer, 2, valueBytes('again'));
      if (form === 4) writer.tag(9, WireType.Varint).uint32(1);
    }),
  );
const flag = fc
  .constantFrom('basket', 'search', 'x'.repeat(200))
  .map((name) => attributeOf('feature_flag.key', name));

const times = fc.constantFrom(
  NOW,
  NOW,
  NOW - 1000n,
  NOW - HOUR,
  NOW - 40n * 24n * HOUR,
  NOW + 20n * HOUR,
  0n,
);
const wholes = fc.constantFrom(1n, 2n, 7n, 0n, -1n, 2n ** 53n - 1n, 2n ** 53n, 2n ** 62n);
const doubles = fc.constantFrom(1, 0, -0, 7, 1.5, NaN, Infinity, 2 ** 53);

const field: fc.Arbitrary<Write> = fc.oneof(
  ...[2, 3].map((ofTime) =>
    times.map(
      (time): Write =>
        (writer) =>
          writer.tag(ofTime, WireType.Bit64).fixed64(time),
    ),
  ),
  doubles.map(
    (value): Write =>
      (writer) =>
        writer.tag(4, WireType.Bit64).double(value),
  ),
  wholes.map(
    (value): Write =>
      (writer) =>
        writer.tag(6, WireType.Bit64).sfixed64(value),
  ),
  attribute.map((bytes): Write => (writer) => {
    embed(writer, 7, bytes);
  }),
  fc.constantFrom(0, 1, 2).map(
    (flags): Write =>
      (writer) =>
        writer.tag(8, WireType.Varint).uint32(flags),
  ),
  fc.constantFrom<Write>(
    (writer) => writer.tag(5, WireType.LengthDelimited).bytes(Buffer.from('exemplar')),
    (writer) => writer.tag(9, WireType.Varint).uint32(300),
    (writer) => writer.tag(3, WireType.Varint).uint32(1),
    (writer) => writer.raw(new Uint8Array([0x3a, 0x80, 0x00])),
    (writer) => writer.raw(new Uint8Array([0xba, 0x80, 0x00, 0])),
  ),
);

/** As senders write it: times and value before the attributes, or behind them. */
const usualPoint = fc
  .tuple(flag, fc.array(attribute, { maxLength: 3 }), times, fc.constantFrom(1n, 2n, 0n), fc.boolean())
  .map(([first, attributes, time, value, isFirst]) =>
    finish((writer) => {
      const writeAttributes = (): void => {
        for (const bytes of [first, ...attributes]) embed(writer, 7, bytes);
      };
      if (isFirst) writeAttributes();
      writer.tag(2, WireType.Bit64).fixed64(NOW - HOUR);
      writer.tag(3, WireType.Bit64).fixed64(time);
      writer.tag(6, WireType.Bit64).sfixed64(value);
      if (!isFirst) writeAttributes();
    }),
  );
const oddPoint = fc.tuple(usualPoint, fc.array(field, { maxLength: 4 })).map(([usual, fields]) =>
  Buffer.concat([
    usual,
    finish((writer) => {
      for (const write of fields) write(writer);
    }),
  ]),
);
const point = fc.oneof({ weight: 12, arbitrary: usualPoint }, { weight: 1, arbitrary: oddPoint });

const metric = fc
  .record({
    name: fc.constantFrom(
      ...Array.from({ length: 12 }, () => 'feature_flag.evaluations'),
      'feature_flag.evaluation_error_total',
      'feature_flag.evaluation_error_total',
      'feature_flag.evaluation_requests_total',
      'my evaluations',
      'http.server.duration',
      '\xff',
    ),
    field: fc.constantFrom(7, 7, 7, 7, 7, 7, 7, 5),
    temporality: fc.constantFrom(1, 1, 1, 1, 1, 2, 2, 2, 2, 0),
    isMonotonic: fc.constantFrom(true, true, true, true, true, true, false),
    points: fc.array(point, { maxLength: 6 }),
    isNameLast: fc.boolean(),
  })
  .map(({ name, field: kind, temporality, isMonotonic, points, isNameLast }) =>
    finish((writer) => {
      const writeName = (): void => {
        writer.tag(1, WireType.LengthDelimited).bytes(Buffer.from(name, 'latin1'));
      };
      if (!isNameLast) writeName();
      const data = finish((sum) => {
        for (const bytes of points) embed(sum, 1, bytes);
        sum.tag(2, WireType.Varint).int32(temporality);
        sum.tag(3, WireType.Varint).bool(isMonotonic);
      });
      embed(writer, kind, data);
      if (isNameLast) writeName();
    }),
  );

const resource = fc
  .tuple(
    fc.constantFrom<OtlpValue | undefined>('shop', 'shop', 'basket', undefined, ''),
    fc.constantFrom<OtlpValue | undefined>(
      'production',
      'production',
      'production',
      'staging',
      'a\0',
      undefined,
    ),
    fc.constantFrom<OtlpValue | undefined>('one', 'two', undefined, 3n),
  )
  .map(([app, environment, instance]) =>
    finish((writer) => {
      if (app !== undefined) embed(writer, 1, attributeOf('service.name', app));
      if (environment !== undefined)
        embed(writer, 1, attributeOf('deployment.environment.name', environment));
      if (instance !== undefined) embed(writer, 1, attributeOf('service.instance.id', instance));
    }),
  );

const ofResource = fc
  .tuple(resource, fc.array(metric, { maxLength: 3 }), fc.boolean())
  .map(([bytes, metrics, isLast]) =>
    finish((writer) => {
      const scope = finish((ofScope) => {
        for (const one of metrics) embed(ofScope, 2, one);
      });
      if (!isLast) embed(writer, 1, bytes);
      embed(writer, 2, scope);
      if (isLast) embed(writer, 1, bytes);
    }),
  );

const whole = fc.array(ofResource, { minLength: 1, maxLength: 2 }).map((all) =>
  finish((writer) => {
    for (const bytes of all) embed(writer, 1, bytes);
  }),
);

/** Bodies of metrics in protobuf. Most have delta counters as senders write them; some have a wrong byte or are cut off. */
export const hostilePoints: fc.Arbitrary<Buffer> = fc
  .tuple(whole, fc.constantFrom('whole', 'whole', 'whole', 'byte', 'cut'), fc.nat(), fc.nat({ max: 255 }))
  .map(([bytes, change, place, byte]) => {
    const body = Buffer.from(bytes);
    const at = place % body.length;
    if (change === 'cut') return body.subarray(0, at);
    if (change === 'byte') body[at] = byte;
    return body;
  });

function attributeOf(key: string, value: OtlpValue): Uint8Array {
  return finish((writer) => {
    writer.tag(1, WireType.LengthDelimited).string(key);
    embed(writer, 2, valueBytes(value));
  });
}
