import { expect } from 'chai';
import fc from 'fast-check';
import { inOneGo } from '#core/counting';
import { MAX_AT_ONCE_BYTES } from '../../../../../services/ingest/opentelemetry/read-known-points.ts';
import { RECEIVED_AT } from '../../../../support/builders/builders.ts';
import { metricsBody } from '../../../../support/senders/otlp/otlp-bodies.ts';
import { agreementOn, countWays, formOf, messageOf, optionsOf } from './agreement.ts';

const NOW = BigInt(RECEIVED_AT) * 1_000_000n;
const form = formOf('json');

const text = (value: string): string => `{"stringValue":"${value}"}`;
const attribute = (key: string, value: string): string => `{"key":"${key}","value":${value}}`;
const FLAG = attribute('feature_flag.key', text('basket'));

const attributes = fc
  .array(
    fc.constantFrom(
      attribute('feature_flag.result.variant', text('blue')),
      attribute('feature_flag.result.value', '{"boolValue":false}'),
      attribute('feature_flag.result.reason', text('static')),
      attribute('feature_flag.provider.name', text('flagd')),
      attribute('error.type', text('x')),
      attribute('other', '{"intValue":"3"}'),
      attribute('other', '{"doubleValue":1.0}'),
      attribute('other', '{"arrayValue":{"values":[{"stringValue":"]"}]}}'),
      attribute('other', text('}')),
      attribute('other', text('resource_x')),
      attribute('feature_flag.result.variant', text('ü')),
      attribute('feature_flag.result.variant', text('\\u0061')),
      attribute('feature_flag.result.variant', '{"stringValue":{"a":1}}'),
      attribute('feature_flag.result.variant', 'null'),
      '{"value":{"stringValue":"on"},"key":"variant"}',
      '{"key":"variant","value":{"stringValue":"on"},"key":"other"}',
      '{"key": "variant"}',
      '5',
    ),
    { maxLength: 3 },
  )
  .map((others) => `"attributes":[${[FLAG, ...others].join(',')}]`);

const times = fc.constantFrom(
  `"${NOW}"`,
  `"${NOW}"`,
  `"${NOW}"`,
  `"${NOW - 3_600_000_000_000n}"`,
  `"${NOW - 40n * 86_400_000_000_000n}"`,
  '""',
  '"1"',
  '"x"',
  String(NOW),
);
const values = fc.constantFrom('"asInt":"4"', '"asInt":"4"', '"asInt":7', '"asDouble":2', '"asInt":"0"');
const oddValues = fc.constantFrom(
  '"asInt":"007"',
  '"asInt":"-1"',
  '"asInt":"9007199254740993"',
  '"asInt":"99999999999999999999"',
  '"asDouble":1.5',
  '"asDouble":1e3',
  '"asDouble":"NaN"',
  '"asDouble":-0',
  '"asDouble":01',
  '"asInt":null',
  '"asInt":"4","asDouble":9',
);
const oddMembers = fc.constantFrom(
  '"flags":0',
  '"flags":1',
  '"exemplars":[]',
  '"exemplars":[{"asInt":"1"}]',
  '"attributes":[]',
  '"x":{"y":"z"}',
  '"timeUnixNano":"1"',
  '"dataPoints":[{"a":1}]',
  '"a":tru',
  ' "flags":0',
);

const usualPoint = fc
  .tuple(attributes, times, values)
  .map(([listed, time, value]) => [
    listed,
    `"startTimeUnixNano":"${NOW - 1n}"`,
    `"timeUnixNano":${time}`,
    value,
  ]);
const point = fc.oneof(
  { weight: 12, arbitrary: usualPoint.map((members) => `{${members.join(',')}}`) },
  {
    weight: 1,
    arbitrary: fc
      .tuple(usualPoint, fc.oneof(oddMembers, oddValues))
      .chain(([members, odd]) => fc.shuffledSubarray([...members, odd], { minLength: 2 }))
      .map((members) => `{${members.join(',')}}`),
  },
  { weight: 1, arbitrary: fc.constantFrom('{}', '[]', '5', 'null', '{"attributes":[]}', '{]') },
);

const sum = fc
  .tuple(
    fc.array(point, { maxLength: 4 }),
    fc.constantFrom('1', '1', '1', '1', '2', '2', '2', '"AGGREGATION_TEMPORALITY_DELTA"', '"x"'),
    fc.constantFrom('true', 'true', 'true', 'true', 'false', '1'),
    fc.constantFrom(
      '"dataPoints":',
      '"dataPoints":',
      '"dataPoints":',
      '"dataPoints": ',
      '"data\\u0050oints":',
    ),
    fc.constantFrom(
      '',
      '',
      '',
      '',
      ',"dataPoints":[]',
      ',"dataPoints":[0]',
      ',"a":"dataPoints"',
      ',"is_monotonic":false',
    ),
  )
  .map(
    ([points, temporality, isMonotonic, name, after]) =>
      `{${name}[${points.join(',')}],"aggregationTemporality":${temporality},"isMonotonic":${isMonotonic}${after}}`,
  );

const metric = fc
  .tuple(
    fc.constantFrom(
      'feature_flag.evaluations',
      'feature_flag.evaluations',
      'feature_flag.evaluations',
      'feature_flag.evaluation_error_total',
      'feature_flag.evaluation_requests_total',
      'my evaluations',
      'http.server.duration',
    ),
    fc.constantFrom('sum', 'sum', 'sum', 'sum', 'sum', 'gauge', 'histogram'),
    sum,
    fc.constantFrom('', '', '', ',"sum":null', ',"sum":{"dataPoints":[]}', ',"name":"again evaluations"'),
  )
  .map(([name, kind, data, after]) => `{"name":"${name}","${kind}":${data}${after}}`);

const resource = fc.constantFrom(
  `{"attributes":[${attribute('service.name', text('shop'))},${attribute('service.instance.id', text('one'))}]}`,
  `{"attributes":[${attribute('deployment.environment.name', text('production'))}]}`,
  `{"attributes":[${attribute('deployment.environment.name', text('staging'))}]}`,
  '{}',
  '5',
);

/** Bodies of metrics in JSON. Most have delta counters as senders write them. */
const bodies = fc
  .tuple(
    fc.array(fc.tuple(resource, fc.array(metric, { maxLength: 3 })), { minLength: 1, maxLength: 2 }),
    fc.constantFrom(
      '',
      '',
      '',
      '',
      '',
      '',
      ',"resourceLogs":[]',
      ',"resourceLogs":[{}]',
      ',"resource_logs":[]',
      ',"a":"\\\\"',
    ),
    fc.constantFrom('whole', 'whole', 'whole', 'whole', 'byte', 'cut'),
    fc.nat(),
    fc.nat({ max: 255 }),
  )
  .map(([resources, after, change, place, byte]) => {
    const all = resources.map(
      ([of, metrics]) =>
        `{"resource":${of},"scopeMetrics":[{"scope":{"name":"a"},"metrics":[${metrics.join(',')}]}]}`,
    );
    const body = Buffer.from(`{"resourceMetrics":[${all.join(',')}]${after}}`);
    const at = place % body.length;
    if (change === 'cut') return body.subarray(0, at);
    if (change === 'byte') body[at] = byte;
    return body;
  });

describe('known points of OpenTelemetry in JSON', () => {
  it('are counted as the general path counts them, with the same message', () => {
    const ways = countWays(form, bodies, 6000);
    for (const [way, count] of Object.entries(ways)) expect(count, way).to.be.greaterThan(100);
  });

  it('are read beside other metrics, which are checked', () => {
    const points = (flag: string) => [
      {
        start: NOW - 1n,
        time: NOW,
        int: 2n,
        attributes: { [flag]: 'basket', 'feature_flag.result.variant': 'on' },
      },
    ];
    const delta = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
    const of = (flag: string) =>
      metricsBody([
        {
          metrics: [
            { name: 'feature_flag.evaluation_requests_total', ...delta, points: points('feature_flag.key') },
            { name: 'feature_flag.evaluation_success_total', ...delta, points: points('feature_flag.key') },
            { name: 'http.server.requests', ...delta, points: points(flag) },
          ],
        },
      ]).json;
    expect(agreementOn(form, of('http.route'))).to.equal('fast');
    expect(agreementOn(form, of('feature_flag.key'))).to.equal('general');
  });

  it('of more than a few hundred metrics are left to the general path', () => {
    const points = [{ time: NOW, int: 2n, attributes: { 'feature_flag.key': 'basket' } }];
    const delta = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
    const of = (count: number, listed: typeof points): string => {
      const metrics = Array.from({ length: count }, () => ({
        name: 'feature_flag.evaluations',
        ...delta,
        points: listed,
      }));
      return metricsBody([{ metrics }]).json;
    };
    expect([of(200, points), of(600, points)].map((body) => agreementOn(form, body))).to.deep.equal([
      'fast',
      'general',
    ]);
    expect([of(200, []), of(600, [])].map((body) => agreementOn(form, body))).to.deep.equal([
      'fast',
      'general',
    ]);
  });

  it('of a long body are counted alike, in steps', () => {
    const points = Array.from({ length: 3000 }, (_, n) => ({
      time: NOW,
      int: 3n,
      attributes: { 'feature_flag.key': `feature ${n % 700}`, 'feature_flag.result.value': n % 2 === 0 },
    }));
    const delta = { kind: 'sum', temporality: 1, isMonotonic: true } as const;
    const encoded = metricsBody([{ metrics: [{ name: 'feature_flag.evaluations', ...delta, points }] }]);
    const long = Buffer.from(encoded.json);
    expect(long.length).to.be.greaterThan(MAX_AT_ONCE_BYTES);
    expect(form.readFast?.(long, optionsOf('*'))).to.equal(undefined);
    const inProtobuf = inOneGo(formOf('protobuf').read(Buffer.from(encoded.protobuf), optionsOf('*')));
    const inJson = inOneGo(form.read(long, optionsOf('*')));
    expect(messageOf(inJson)).to.equal(messageOf(inProtobuf));
  });
});
