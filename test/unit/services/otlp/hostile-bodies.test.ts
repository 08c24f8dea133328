import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import { type OtlpSignal, readOtlp } from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { inOneGo } from '#core/counting';
import { aggregateFound, foundIn } from '../../../support/senders/otlp/otlp-evaluations.ts';
import { logsBody, metricsBody, tracesBody } from '../../../support/senders/otlp/otlp-bodies.ts';

describe('hostile bodies of OTLP', () => {
  it('with more than 10,000 evaluations are too large, in all resources together', () => {
    const of = (count: number) => ({
      records: Array.from({ length: count }, () => ({ name: 'feature_flag' })),
    });
    for (const [count, isTooLarge] of [
      [5000, undefined],
      [5001, true],
    ] as const) {
      const { protobuf, json } = logsBody([of(5000), of(count)]);
      for (const result of [
        inOneGo(readOtlp('logs', { protobuf })),
        inOneGo(readOtlp('logs', { json: JSON.parse(json) as unknown })),
      ])
        expect('isTooLarge' in result ? result.isTooLarge : undefined).to.equal(isTooLarge);
    }
  });

  it('with a long name beside many points or spans that name a flag are read in a second', () => {
    const attributes = { 'feature_flag.key': 'f' };
    const name = 'evaluation '.repeat(30_000);
    const sum = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
    const points = Array.from({ length: 20_000 }, () => ({ int: 1n, attributes }));
    expectFast(metricsBody([{ metrics: [{ name, ...sum, points }] }]).protobuf, 'metrics');
    const spans = Array.from({ length: 20_000 }, () => ({ name: 'a span', attributes }));
    expectFast(tracesBody([{ spans }]).protobuf, 'traces');
    const events = Array.from({ length: 9000 }, (_, n) => ({
      name: 'feature_flag',
      attributes: { 'feature_flag.key': `f${n}` },
    }));
    expectFast(tracesBody([{ spans: [{ name: 'feature_flag', attributes, events }] }]).protobuf, 'traces');
  });

  it('with half a million scopes, or a long name beside many cumulative points, are read in a second', () => {
    const scopes = Buffer.alloc(1_000_000, Buffer.from([0x12, 0]));
    expectFast(wrap(scopes, 1), 'metrics');
    expectFast(wrap(scopes, 1), 'logs');
    const attributes = { 'feature_flag.key': 'f', 'feature_flag.result.variant': 'on' };
    const resource = { 'service.instance.id': 'one' };
    const points = Array.from({ length: 9000 }, () => ({
      start: 1_000_000n,
      time: 2_000_000n,
      int: 1n,
      attributes,
    }));
    const sum = { kind: 'sum', temporality: 2, isMonotonic: true } as const;
    const name = 'evaluation '.repeat(60_000);
    const { protobuf } = metricsBody([{ resource, metrics: [{ name, ...sum, points }] }]);
    const startedAt = process.cpuUsage();
    expect(aggregateFound(foundIn('metrics', protobuf)).refusals[0]).to.include({ reason: 'key_too_long' });
    expect(process.cpuUsage(startedAt).user).to.be.lessThan(1_000_000);
  });

  it('with a record of 4,000 attributes are read, and with one of half a million rejected', () => {
    const read = (length: number) =>
      inOneGo(readOtlp('logs', { protobuf: wrap(wrap(aRecordOf(length), 2), 1) }));
    expect(read(4000)).not.to.have.property('problem');
    const { problem, place } = { problem: '', place: '', ...read(500_000) };
    expect(problem).to.match(/ has more than 20000 fields\.$/);
    expect(place).to.equal('/resourceLogs/0/scopeLogs/0/logRecords/0');
  });

  it('with records of many attributes each are read in short steps', () => {
    const records = Buffer.concat(Array.from({ length: 64 }, () => aRecordOf(2000)));
    const steps = readOtlp('logs', { protobuf: wrap(wrap(records, 2), 1) });
    let count = 0;
    while (steps.next().done !== true) count += 1;
    expect(count).to.be.at.least(63);
  });

  it('with lists a million deep are read in a second', () => {
    // The length of each list is that of the rest.
    let deep: Uint8Array = new Uint8Array();
    for (let depth = 0; depth < 2000; depth += 1) deep = wrap(wrap(deep, 1), 5);
    const body = wrap(wrap(wrap(wrap(wrap(deep, 2), 6), 2), 2), 1);
    expectFast(body);
  });
});

/** A log record with so many attributes, in the field of a scope. */
function aRecordOf(attributes: number): Uint8Array {
  const one = wrap(new BinaryWriter().tag(1, WireType.LengthDelimited).string('x').finish(), 6);
  const name = new BinaryWriter()
    .tag(12, WireType.LengthDelimited)
    .string('feature_flag.evaluation')
    .finish();
  return wrap(Buffer.concat([name, ...Array.from({ length: attributes }, () => one)]), 2);
}

function wrap(bytes: Uint8Array, field: number): Uint8Array {
  return new BinaryWriter().tag(field, WireType.LengthDelimited).bytes(bytes).finish();
}

function expectFast(protobuf: Uint8Array, signal: OtlpSignal = 'logs'): void {
  const startedAt = process.cpuUsage();
  expect(inOneGo(readOtlp(signal, { protobuf }))).not.to.have.property('problem');
  expect(process.cpuUsage(startedAt).user).to.be.lessThan(1_000_000);
}
