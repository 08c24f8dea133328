import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import { expect } from 'chai';
import fc from 'fast-check';
import {
  type OtlpSignal,
  SIGNALS,
  readOtlp,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { inOneGo } from '#core/counting';
import {
  type Encoded,
  type OtlpMetric,
  type OtlpRecord,
  logsBody,
  metricsBody,
  tracesBody,
} from '../../../support/senders/otlp/otlp-bodies.ts';

const AT = 1_795_000_500_123n;
const TIME = AT * 1_000_000n + 456_789n;

/** What both encodings say, which must be the same. */
function read(signal: OtlpSignal, { protobuf, json }: Encoded) {
  const ofProtobuf = inOneGo(readOtlp(signal, { protobuf }));
  expect(inOneGo(readOtlp(signal, { json: JSON.parse(json) as unknown }))).to.deep.equal(ofProtobuf);
  if ('problem' in ofProtobuf) throw new Error(ofProtobuf.problem);
  return ofProtobuf;
}

function foundIn(records: readonly OtlpRecord[]) {
  return read('logs', logsBody([{ records }])).resources.flatMap(({ found }) => found);
}

describe('bodies of OTLP', () => {
  it('give the known attributes of a resource and of its evaluations', () => {
    const resource = { 'service.name': 'shop', 'host.name': 'a', 'service.instance.id': 'one' };
    const attributes = {
      'feature_flag.key': 'basket',
      'feature_flag.result.value': true,
      'feature_flag.context.id': 'a person',
      'feature_flag.version': 3,
    };
    const records = [{ time: TIME, name: 'feature_flag.evaluation', attributes }];
    const { resources, ignored } = read('logs', logsBody([{ resource, records }]));
    expect(ignored).to.equal(0);
    expect(resources).to.have.length(1);
    expect([...(resources[0]?.resource ?? [])]).to.deep.equal([
      ['service.name', 'shop'],
      ['service.instance.id', 'one'],
    ]);
    const [found] = resources[0]?.found ?? [];
    expect(found?.at).to.equal(Number(AT) + 0.456);
    expect([...(found?.attributes ?? [])]).to.deep.equal([
      ['feature_flag.key', 'basket'],
      ['feature_flag.result.value', true],
    ]);
  });

  it('ignore and count records of other names', () => {
    const records = [{ name: 'exception' }, {}, { attributes: { 'event.name': 'click' } }];
    expect(read('logs', logsBody([{ records }]))).to.deep.include({ resources: [], ignored: 3 });
  });

  it('take the name of a record from the attribute of older emitters', () => {
    const attributes = { 'event.name': 'feature_flag.evaluation', 'feature_flag.key': 'basket' };
    expect(foundIn([{ time: TIME, attributes }])).to.have.length(1);
  });

  it('fall back to the time of observation', () => {
    const name = 'feature_flag.evaluation';
    expect(foundIn([{ observed: TIME, name }, { name }]).map(({ at }) => at)).to.deep.equal([
      Number(AT) + 0.456,
      0,
    ]);
  });

  it('never move a time into another millisecond before the year 2527', () => {
    // Until then, a number of milliseconds has room for the microseconds.
    fc.assert(
      fc.property(fc.bigInt({ min: 1n, max: 2n ** 44n * 1_000_000n - 1n }), (time) => {
        const [found] = foundIn([{ time, name: 'feature_flag.evaluation' }]);
        expect(Math.floor(found?.at ?? NaN)).to.equal(Number(time / 1_000_000n));
      }),
    );
  });

  it('give the events of spans', () => {
    const events = [{ time: TIME, name: 'feature_flag' }, { name: 'exception' }];
    const { resources, ignored } = read('traces', tracesBody([{ spans: [events, [], [{ name: 'other' }]] }]));
    expect(resources[0]?.found.map(({ at }) => at)).to.deep.equal([Number(AT) + 0.456]);
    expect(ignored).to.equal(2);
  });

  for (const [what, metric, expected] of [
    ['delta sums', { kind: 'sum', temporality: 1, isMonotonic: true }, 'delta'],
    ['cumulative sums', { kind: 'sum', temporality: 2, isMonotonic: true }, 'cumulative'],
    ['sums that may fall', { kind: 'sum', temporality: 1, isMonotonic: false }, 'other'],
    ['sums without temporality', { kind: 'sum', temporality: 0, isMonotonic: true }, 'other'],
    ['gauges', { kind: 'gauge' }, 'other'],
  ] as const)
    it(`tell ${what} of a counter of evaluations`, () => {
      const metrics: OtlpMetric[] = [
        { name: 'feature_flag.evaluations', ...metric, points: [{ time: TIME, start: TIME - 1n, int: 7n }] },
        { name: 'http.requests', ...metric, points: [{ int: 1n }] },
      ];
      const { resources, ignored } = read('metrics', metricsBody([{ metrics }]));
      expect(ignored).to.equal(1);
      expect(resources[0]?.found.map(({ point }) => point?.kind)).to.deep.equal([expected]);
      expect(resources[0]?.found[0]?.point?.value).to.deep.equal(expected === 'other' ? NaN : 7);
    });

  it('read whole and other numbers, and leave out points without a value', () => {
    const point = { time: TIME, start: TIME - 1n };
    const points = [
      { ...point, int: -3n },
      { ...point, double: 2.5 },
      { ...point, double: NaN },
      { ...point, int: 2n ** 60n },
      { ...point, flags: 1 },
      point,
    ];
    const metrics: OtlpMetric[] = [
      { name: 'flag.evaluation.count', kind: 'sum', temporality: 1, isMonotonic: true, points },
    ];
    const { resources } = read('metrics', metricsBody([{ metrics }]));
    const values = resources[0]?.found.map((found) => found.point?.value);
    expect(values).to.deep.equal([-3, 2.5, NaN, 2 ** 60, NaN]);
  });

  it('say the same in both encodings', () => {
    const attributes = fc.dictionary(
      fc.constantFrom('feature_flag.key', 'feature_flag.result.variant', 'other'),
      fc.oneof(
        fc.string({ unit: 'binary' }),
        fc.boolean(),
        fc.double({ noNaN: true }).map((value) => value + 0), // JSON has no -0
        fc.constant(['x', ['y']]),
      ),
    );
    const records = fc.array(
      fc.record(
        {
          time: fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }),
          name: fc.constantFrom('feature_flag.evaluation', 'feature_flag', 'other', ''),
          attributes,
        },
        { requiredKeys: [] },
      ),
    );
    fc.assert(
      fc.property(fc.array(fc.record({ resource: attributes, records })), (body) => {
        read('logs', logsBody(body));
      }),
    );
  });
});

describe('malformed bodies of OTLP', () => {
  it('are a problem, whatever the bytes are', () => {
    const { protobuf } = logsBody([
      { resource: { 'service.name': 'a' }, records: [{ time: TIME, name: 'feature_flag.evaluation' }] },
    ]);
    fc.assert(
      fc.property(fc.nat(protobuf.length - 1), fc.nat(255), (at, byte) => {
        const spoilt = Uint8Array.from(protobuf);
        spoilt[at] = byte;
        const result = inOneGo(readOtlp('logs', { protobuf: spoilt }));
        expect('problem' in result || Array.isArray(result.resources)).to.equal(true);
      }),
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        for (const signal of ['logs', 'traces', 'metrics'] as const)
          expect(inOneGo(readOtlp(signal, { protobuf: bytes }))).to.be.an('object');
      }),
    );
  });

  it('are cut, have a wrong wire type, groups, endless varints or text that is not UTF-8', () => {
    const { protobuf } = logsBody([{ records: [{ name: 'feature_flag.evaluation' }] }]);
    const wrongType = new BinaryWriter().tag(1, WireType.Varint).uint32(5).finish();
    const group = new BinaryWriter().raw(Uint8Array.of(0x0b, 0x0c)).finish();
    const notUtf8 = Uint8Array.of(0x0a, 7, 0x12, 5, 0x12, 3, 0x62, 1, 0xff);
    const varint = Uint8Array.from({ length: 1_000_000 }, () => 0x80);
    for (const bytes of [protobuf.subarray(0, -1), wrongType, group, notUtf8, varint])
      expect(inOneGo(readOtlp('logs', { protobuf: bytes }))).to.have.property('problem');
  });

  it('belong to another path, which is named', () => {
    const attributes = { 'feature_flag.key': 'basket' };
    const event = { time: TIME, name: 'feature_flag.evaluation', attributes };
    const metric: OtlpMetric = { name: 'feature_flag.evaluation_success_total', kind: 'sum', points: [{}] };
    const bodies = {
      logs: logsBody([{ records: [event] }]),
      traces: tracesBody([{ spans: [{ time: TIME, events: [event] }] }]),
      metrics: metricsBody([{ metrics: [metric] }]),
    };
    for (const own of SIGNALS)
      for (const path of SIGNALS.filter((signal) => signal !== own)) {
        const { protobuf, json } = bodies[own];
        expect(inOneGo(readOtlp(path, { protobuf })), `${own} at ${path}`).to.have.property('problem');
        const inJson = inOneGo(readOtlp(path, { json: JSON.parse(json) as unknown }));
        const resources = { logs: 'resourceLogs', traces: 'resourceSpans', metrics: 'resourceMetrics' }[own];
        expect(inJson).to.have.property('problem', `${resources} must be sent to /v1/${own}.`);
      }
  });

  it('may name other data that they do not have', () => {
    const json = { resourceLogs: [], resourceSpans: [], resourceMetrics: null };
    for (const signal of SIGNALS) expect(inOneGo(readOtlp(signal, { json }))).not.to.have.property('problem');
  });

  it('have another form in JSON', () => {
    const bodies = [
      null,
      [],
      { resourceLogs: {} },
      { resourceLogs: [null] },
      { resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: 5 }] }] }] },
      {
        resourceLogs: [{ scopeLogs: [{ logRecords: [{ eventName: 'feature_flag', timeUnixNano: 'now' }] }] }],
      },
      {
        resourceLogs: [
          { scopeLogs: [{ logRecords: [{ eventName: 'feature_flag', attributes: [{ key: 1 }] }] }] },
        ],
      },
    ];
    for (const json of bodies) expect(inOneGo(readOtlp('logs', { json }))).to.have.property('problem');
  });

  for (const number of ['1e400', '-1e400', '1e308', '-1', '0.5', '"1e9"', '-9223372036854775808'])
    it(`have the number ${number} as a time in JSON`, () => {
      const record = (time: string): string =>
        `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"eventName":"feature_flag","${time}":${number}}]}]}]}`;
      const span = `{"resourceSpans":[{"scopeSpans":[{"spans":[{"events":[{"name":"feature_flag","timeUnixNano":${number}}]}]}]}]}`;
      const point = (time: string): string =>
        `{"resourceMetrics":[{"scopeMetrics":[{"metrics":[{"name":"feature_flag.evaluations","sum":{"isMonotonic":true,"aggregationTemporality":2,"dataPoints":[{"${time}":${number}}]}}]}]}]}`;
      for (const [signal, text] of [
        ['logs', record('timeUnixNano')],
        ['logs', record('observedTimeUnixNano')],
        ['traces', span],
        ['metrics', point('timeUnixNano')],
        ['metrics', point('startTimeUnixNano')],
      ] as const)
        expect(inOneGo(readOtlp(signal, { json: JSON.parse(text) as unknown })), text).to.have.property(
          'problem',
        );
    });
});
