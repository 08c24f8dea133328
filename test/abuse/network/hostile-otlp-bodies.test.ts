import { gzipSync } from 'node:zlib';
import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { ProtobufMetricsSerializer } from '@opentelemetry/otlp-transformer';
import { expect } from 'chai';
import { attackedIngest } from '../../support/attacks/attacked-ingest.ts';
import { type OtlpPoint, logsBody, metricsBody } from '../../support/senders/otlp/otlp-bodies.ts';
import { OTHER_CLIENT_TOKEN } from '../../support/world.ts';

const NOW = BigInt(Date.now()) * 1_000_000n;
const IN_1970 = 1_000_000_000n;
const IN_2200 = 7_258_118_400_000_000_000n;

/** A message in a field of another. */
function inField(field: number, bytes: Uint8Array): Uint8Array {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

/** A body with one record that has these bytes. */
const bodyOf = (record: Uint8Array): Uint8Array => inField(1, inField(2, inField(2, record)));

const { protobuf: HONEST } = logsBody([{ records: [{ time: NOW, name: 'feature_flag.evaluation' }] }]);
const NAME = inField(12, Buffer.from('feature_flag.evaluation'));

describe('hostile bodies of OpenTelemetry', () => {
  const attacked = attackedIngest();

  const send = async (path: string, body: Uint8Array) => {
    const answer = await fetch(`${attacked.ingest.url}${path}`, {
      method: 'POST',
      body: new Uint8Array(gzipSync(body)),
      headers: {
        authorization: OTHER_CLIENT_TOKEN,
        'content-encoding': 'gzip',
        'content-type': 'application/x-protobuf',
      },
    });
    return { status: answer.status, body: new Uint8Array(await answer.arrayBuffer()) };
  };

  for (const [what, body] of [
    ['an endless varint', new Uint8Array(900_000).fill(0x80)],
    ['a varint for a length that ends behind the body', Uint8Array.of(0x0a, 0xff, 0xff, 0xff, 0xff, 0x0f)],
    [
      'a resource with the wire type of a number',
      new BinaryWriter().tag(1, WireType.Varint).uint32(5).finish(),
    ],
    ['a record whose time is text', bodyOf(Buffer.concat([NAME, inField(1, Buffer.from('1970'))]))],
    ['groups in groups', new Uint8Array(500_000).fill(0x0b)],
    ['a part of an honest body', HONEST.subarray(0, -1)],
  ] as const)
    it(`get 400 for ${what}`, async () => {
      expect(await send('/v1/logs', body)).to.have.property('status', 400);
    });

  it('get 413 if they are longer than the limit when they are decompressed', async () => {
    expect(await send('/v1/logs', bodyOf(new Uint8Array(64 * 1024 * 1024)))).to.have.property('status', 413);
  });

  it('may nest lists a hundred thousand deep', async () => {
    const nested = bodyOf(Buffer.concat([NAME, inField(6, deepLists(100_000))]));
    expect(await send('/v1/logs', nested)).to.have.property('status', 200);
  });

  for (const [attributes, status] of [
    [4000, 200],
    [20_001, 400],
    [500_000, 400],
  ] as const)
    it(`get ${status} for a record of ${attributes} attributes`, async () => {
      const attribute = inField(6, new Uint8Array());
      const record = Buffer.concat([NAME, ...Array.from({ length: attributes }, () => attribute)]);
      expect(await send('/v1/logs', bodyOf(record))).to.have.property('status', status);
    });

  for (const [what, point, reason] of [
    ['a count that is not a number', { double: NaN }, 'invalid_count: 1'],
    ['an infinite count', { double: Infinity }, 'invalid_count: 1'],
    ['a negative delta', { int: -1n }, 'invalid_count: 1'],
    ['a count beyond 2^53', { int: 2n ** 62n }, 'invalid_count: 1'],
    ['a time in 1970', { int: 1n, time: IN_1970 }, 'too_old: 1'],
    ['a time in 2200', { int: 1n, time: IN_2200 }, 'in_the_future: 1'],
  ] as const satisfies readonly (readonly [string, OtlpPoint, string])[])
    it(`report ${what} as rejected`, async () => {
      const points = [{ start: NOW - 1n, time: NOW, attributes: { 'feature_flag.key': 'basket' }, ...point }];
      const metric = {
        name: 'feature_flag.evaluations',
        kind: 'sum',
        temporality: 1,
        isMonotonic: true,
      } as const;
      const { protobuf } = metricsBody([{ metrics: [{ ...metric, points }] }]);
      const { status, body } = await send('/v1/metrics', protobuf);
      expect(status).to.equal(200);
      const { partialSuccess } = ProtobufMetricsSerializer.deserializeResponse(body);
      expect(partialSuccess).to.have.property('rejectedDataPoints', 1);
      expect(partialSuccess).to.have.property('errorMessage').that.includes(reason);
    });
});

/** A value that is a list of a list, and so on. Written from the inside, because copies of each level would take minutes. */
function deepLists(depth: number): Uint8Array {
  const heads: Uint8Array[] = [];
  let length = 0;
  for (let level = 0; level < depth; level += 1) {
    // ArrayValue.values is field 1, AnyValue.array_value field 5.
    const head = new BinaryWriter()
      .tag(level % 2 === 0 ? 1 : 5, WireType.LengthDelimited)
      .uint32(length)
      .finish();
    heads.push(head);
    length += head.length;
  }
  return Buffer.concat(heads.toReversed());
}
