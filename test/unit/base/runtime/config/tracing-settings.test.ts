import { expect } from 'chai';
import { readConfig } from '#base/runtime';

const ENV = {
  KAFKA_BROKERS: 'k:9092',
  CLICKHOUSE_URL: 'http://c:8123',
  DATABASE_URL: 'postgres://u:p@p/d',
  REDIS_URL: 'redis://r:6379',
};
const tracingOf = (env: Record<string, string>) => readConfig({ ...ENV, ...env }).tracing;
const OTEL_EXPORTER_OTLP_ENDPOINT = 'http://collector:4318';

describe('the settings of tracing', () => {
  it('switch it off without an endpoint', () => {
    expect(tracingOf({ OTEL_SERVICE_NAME: 'shop', OTEL_TRACES_SAMPLER: 'always_on' })).to.equal(undefined);
  });

  for (const off of [
    { OTEL_SDK_DISABLED: 'true' },
    { OTEL_TRACES_EXPORTER: 'none' },
    { OTEL_TRACES_SAMPLER: 'always_off' },
  ])
    it(`switch it off with ${Object.entries(off).join().replace(',', '=')}`, () => {
      expect(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT, ...off })).to.equal(undefined);
    });

  it('append the path for traces to the common endpoint only', () => {
    expect(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT })?.url).to.equal('http://collector:4318/v1/traces');
    expect(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT: 'http://c/otlp/' })?.url).to.equal(
      'http://c/otlp/v1/traces',
    );
    const OTEL_EXPORTER_OTLP_TRACES_ENDPOINT = 'http://traces/here';
    expect(tracingOf({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT })?.url).to.equal('http://traces/here');
  });

  it('decode headers and attributes', () => {
    const env = { OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Basic%20abc=, x-team = shop' };
    expect(tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT, ...env })?.headers).to.deep.equal({
      authorization: 'Basic abc=',
      'x-team': 'shop',
    });
  });

  for (const [name, value, problem] of [
    ['OTEL_EXPORTER_OTLP_PROTOCOL', 'grpc', 'must be one of: http/protobuf, http/json'],
    ['OTEL_TRACES_SAMPLER', 'jaeger_remote', 'must be one of: always_on'],
    ['OTEL_TRACES_SAMPLER_ARG', '2', 'must be 0 to 1'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a secret', 'must be: headers for the receiver'],
  ] as const)
    it(`reject ${name}=${value}, and do not repeat secrets`, () => {
      const read = () => tracingOf({ OTEL_EXPORTER_OTLP_ENDPOINT, [name]: value });
      expect(read).to.throw(`${name} ${problem}`);
      if (name.endsWith('HEADERS')) expect(read).not.to.throw(/a secret/);
    });
});
