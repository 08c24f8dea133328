import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_REFUSAL_LIMITS } from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';
import { bodyOf, expectAgreement, expectBothPaths, readGeneral, readFast } from './both-paths.ts';
import {
  RECEIVED_AT,
  aMetric,
  anApplication,
  decoded,
  encodeAggregated,
} from '../../../../support/builders/builders.ts';

const METRIC =
  '{"featureName":"f","appName":"a","environment":"production","timestamp":"2026-11-21T10:01:03.120Z","yes":812,"no":41,"variants":{"blue":410,"red":402},"sdkVersion":null,"platformName":"node"}';

const { maxAgeMs, maxFutureMs } = DEFAULT_REFUSAL_LIMITS;

/** Index in a row of a message: the number of variants that follow. */
const VARIANTS_OF_A_ROW = 5;

describe('the fast path', () => {
  it('reads the bodies of relays', () => {
    for (const metrics of [[], [METRIC], [METRIC, METRIC.replace('"f"', '"g"')]])
      expectBothPaths(bodyOf(metrics));
  });

  it('reads members in any order, and without optional ones', () => {
    for (const metric of [
      '{"environment":"e","appName":"a","featureName":"f"}',
      '{"yes":1,"featureName":"f","no":0,"environment":"e","variants":{},"appName":"a"}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":null,"yes":null,"no":null,"variants":null}',
      '{"featureName":"f","appName":"a","environment":"e","year":"y","nothing":null,"via":"v","extra":"e","a":"b","fun":"f","t":"t"}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":"2026-11-21T10:00:59Z","yes":999999999999999}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":"2026-11-21T10:00:59.123456789Z"}',
    ]) {
      expectBothPaths(bodyOf([metric, metric]));
    }
  });

  it('reads environments and timestamps that repeat those of the previous metric, or only begin with them', () => {
    const of = (environment: string, timestamp: string): string =>
      `{"featureName":"f","appName":"a","environment":"${environment}","timestamp":"${timestamp}","yes":1}`;
    const environments = ['e', 'e', 'prod', 'prod', 'production', 'production', 'productive', 'prod'];
    const times = ['10:00:59Z', '10:00:59Z', '10:00:59.1Z', '11:00:59.1Z', '11:00:59.1Z', '11:00:59.12Z'];
    const metrics = environments.flatMap((environment) =>
      times.map((time) => of(environment, `2026-11-21T${time}`)),
    );

    expectBothPaths(bodyOf(metrics));
    expectBothPaths(bodyOf(metrics.toReversed()));
  });

  it('skips members that repeat those of the previous metric, or only begin with them', () => {
    const of = (...members: readonly string[]): string =>
      `{"featureName":"f","appName":"a","environment":"e",${members.join(',')}}`;
    const [version, type] = ['"sdkVersion":null', '"sdkType":null'];
    const metrics = [
      of(version, type),
      of(version, type),
      of(version),
      of(version, type, '"via":"v"'),
      of(version, type, '"via":"v"', '"yes":3', version, type),
      of(version, '"yes":1', type, '"no":2'),
      of('"via":"value"'),
      of('"via":"v"'),
    ];

    expectBothPaths(bodyOf(metrics));
    expectBothPaths(bodyOf(metrics.toReversed()));
    for (const other of [
      of(`${version}0`),
      of(`${version}"`),
      of(version, '"sdkType":nulls'),
      of(version, ''),
    ])
      expectAgreement(bodyOf([of(version, type), of(version), other]));
  });

  it('leaves out variants with a count of 0, as the general path does', () => {
    for (const [variants, written] of [
      ['{"blue":410,"red":0}', 1],
      ['{"red":0}', 0],
    ] as const) {
      const body = bodyOf([METRIC.replace('{"blue":410,"red":402}', variants)]);
      const paths = [readFast(body), readGeneral(body)];

      expect(
        paths.map((read) => read && decoded(encodeAggregated(read)).rows[VARIANTS_OF_A_ROW]),
      ).to.deep.equal([written, written], variants);
    }
  });

  it('reads applications and other members beside the metrics', () => {
    const applications = JSON.stringify([anApplication({ instanceId: 'ü' }), anApplication({ appName: '' })]);
    const body = `{"applications":${applications},"metrics":[${METRIC}],"impactMetrics":[{"a":[1]}],"seenTokens":["x"]}`;

    expectBothPaths(Buffer.from(body));
    expectBothPaths(Buffer.from(`{"metrics":[${METRIC}],"applications":[]}`));
  });

  it('leaves other forms to the general path', () => {
    for (const metric of [
      METRIC.replace('"f"', '"\\u0066"'),
      METRIC.replace('"f"', '"ü"'),
      METRIC.replace('"f"', '""'),
      METRIC.replace('"f"', `"${'f'.repeat(256)}"`),
      METRIC.replace('"production"', `"${'e'.repeat(101)}"`),
      METRIC.replace(',', ', '),
      METRIC.replace('812', '8.12'),
      METRIC.replace('812', '1e3'),
      METRIC.replace('812', '-1'),
      METRIC.replace('812', '012'),
      METRIC.replace('812', '"812"'),
      METRIC.replace('812', '1000000000000000'),
      METRIC.replace('812', 'nul'),
      METRIC.replace('"no"', '"yes"'),
      METRIC.replace('"red"', '"blue"'),
      METRIC.replace('402', 'null'),
      METRIC.replace('null', '{}'),
      METRIC.replace('2026-11-21', '2026-02-30'),
      METRIC.replace('2026-11-21', '2026-13-01'),
      METRIC.replace('2026-11-21', '1999-01-01'),
      METRIC.replace('10:01:03', '09:01:60'),
      METRIC.replace('10:01:03', '09:60:03'),
      METRIC.replace('21T10:01:03', '20T24:01:03'),
      METRIC.replace('.120Z', '.Z'),
      METRIC.replace('.120Z', '.1234567890Z'),
      METRIC.replace('.120Z', '+01:00'),
      METRIC.replace('.120Z', ''),
      METRIC.replace('"appName":"a",', ''),
      METRIC.slice(0, -1),
      `${METRIC},`,
      'null',
    ]) {
      expect(readFast(bodyOf([metric])), metric).to.equal(undefined);
    }
    for (const body of [
      '',
      '[]',
      '"metrics":[',
      `{"metrics":[${METRIC}]}`,
      `{"applications":[],"metrics":[${METRIC}]`,
      `{"applications":[],"metrics":[${METRIC}]}}`,
      `{"applications":[],"metrics":[${METRIC}],"metrics":[]}`,
      `{"applications":[],"metrics":[${METRIC}],"metri\\u0063s":[]}`,
      `{"applications":[{"appName":"a","metrics":[${METRIC}]}]}`,
      `{"applications":[],"inner":{"metrics":[${METRIC}]}}`,
      `{"applications":[{"appName":"metrics"}],"metrics":[${METRIC}]}`,
      `{"applications":{},"metrics":[${METRIC}]}`,
    ]) {
      expect(readFast(Buffer.from(body)), body).to.equal(undefined);
    }
  });

  it('leaves to the general path every body with a refusal', () => {
    for (const allowedEnvironment of ['development', 'productioN', 'productions', 'productio', ''])
      expect(readFast(bodyOf([METRIC]), { allowedEnvironment }), allowedEnvironment).to.equal(undefined);
    expectBothPaths(bodyOf([METRIC]), { allowedEnvironment: 'production' });
    expect(readFast(bodyOf([metric({ variants: numbered(101) })]))).to.equal(undefined);
    for (const timestamp of [RECEIVED_AT - maxAgeMs - 1, RECEIVED_AT + maxFutureMs + 1])
      expect(readFast(bodyOf([metricAt(timestamp)])), `${timestamp}`).to.equal(undefined);
  });

  it('reads values just within the limits', () => {
    expectBothPaths(bodyOf([metric({ featureName: 'f'.repeat(255), environment: 'e'.repeat(100) })]));
    expectBothPaths(bodyOf([metric({ variants: numbered(100) })]));
    expectBothPaths(bodyOf([METRIC.replace('21T10:01:03', '20T23:59:59')]));
    for (const timestamp of [RECEIVED_AT - maxAgeMs, RECEIVED_AT + maxFutureMs])
      expectBothPaths(bodyOf([metricAt(timestamp)]));
  });

  it('reports whether any metric has an exact time', () => {
    const [hour, exact] = [metricAt(RECEIVED_AT - 15 * 60_000), metricAt(RECEIVED_AT)];
    const hasExactTime = (...metrics: string[]) => readFast(bodyOf(metrics))?.hasExactTime;
    expect([hasExactTime(), hasExactTime(hour, hour)]).to.deep.equal([false, false]);
    expect([hasExactTime(exact, hour), hasExactTime(hour, exact)]).to.deep.equal([true, true]);
  });

  it('reads thousands of variants of one feature, or 600 applications, in less than 20 times the time of 480 metrics', () => {
    const variantsOf = (first: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`v${first + i}`, 1])));
    const features = bodyOf(Array.from({ length: 480 }, (_, i) => METRIC.replace('"f"', `"f${i}"`)));
    const variants = Array.from({ length: 80 }, (_, i) => METRIC.replace(/{"blue.*?}/, variantsOf(i * 100)));
    const apps = Array.from({ length: 600 }, (_, i) => METRIC.replace('"a"', `"a${i}"`));

    const [shortest, ...others] = shortestTimes([features, bodyOf(variants), bodyOf(apps)]);
    for (const time of others) expect(time / (shortest ?? 0)).to.be.lessThan(20);
  });

  it('agrees with the general path on any batch', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expectAgreement(Buffer.from(JSON.stringify(batch)));
      }),
    );
  });

  it('agrees with the general path on a body with one changed byte', () => {
    const body = bodyOf([METRIC, METRIC.replace('"f"', '"g"'), METRIC]);
    fc.assert(
      fc.property(
        fc.nat(body.length - 1),
        fc.constantFrom(...Buffer.from('",:{}[]01-.eZTaf \\\u0000é')),
        (at, byte) => {
          const changed = Buffer.from(body);
          changed[at] = byte;
          expectAgreement(changed);
        },
      ),
      { numRuns: 5000 },
    );
  });

  it('agrees with the general path on a body that was cut or partly doubled', () => {
    const body = bodyOf([METRIC, METRIC]);
    fc.assert(
      fc.property(fc.nat(body.length), fc.nat(body.length), (from, to) => {
        expectAgreement(Buffer.concat([body.subarray(0, from), body.subarray(to)]));
      }),
      { numRuns: 5000 },
    );
  });
});

function metric(members: Parameters<typeof aMetric>[0]): string {
  return JSON.stringify(aMetric(members));
}

function metricAt(ms: number): string {
  return metric({ timestamp: new Date(ms).toISOString() });
}

/** So many variants, each served once. */
function numbered(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`variant-${i}`, 1]));
}

/** The shortest time of the fast path for each body. The bodies are measured many times in turn. */
function shortestTimes(bodies: readonly Buffer[]): number[] {
  const shortest = bodies.map(() => Infinity);
  for (let round = 0; round < 15; round += 1) {
    for (const [index, body] of bodies.entries()) {
      const start = performance.now();
      if (readFast(body) === undefined) throw new Error('not for the fast path');
      shortest[index] = Math.min(shortest[index] ?? 0, performance.now() - start);
    }
  }
  return shortest;
}
