import { expect } from 'chai';
import fc from 'fast-check';
import { DEFAULT_REFUSAL_LIMITS, readUsualBatch } from '#counting';
import { batches } from '../../../support/builders/arbitraries.ts';
import {
  RECEIVED_AT,
  aMetric,
  anApplication,
  decoded,
  encodeTaken,
  takeOptions,
} from '../../../support/builders/builders.ts';
import { bodyOf, expectAgreement, expectBothWays, takeGeneral, takeUsual } from './both-ways.ts';

const USUAL =
  '{"featureName":"f","appName":"a","environment":"production","timestamp":"2026-11-21T10:01:03.120Z","yes":812,"no":41,"variants":{"blue":410,"red":402},"sdkVersion":null,"platformName":"node"}';

const { maxAgeMs, maxFutureMs } = DEFAULT_REFUSAL_LIMITS;

/** Place in a row of a message: how many variants follow. */
const VARIANTS_OF_A_ROW = 5;

describe('readUsualBatch', () => {
  it('takes what relays send', () => {
    for (const metrics of [[], [USUAL], [USUAL, USUAL.replace('"f"', '"g"')]])
      expectBothWays(bodyOf(metrics));
  });

  it('takes members in any order, and leaves out what may be left out', () => {
    for (const metric of [
      '{"environment":"e","appName":"a","featureName":"f"}',
      '{"yes":1,"featureName":"f","no":0,"environment":"e","variants":{},"appName":"a"}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":null,"yes":null,"no":null,"variants":null}',
      '{"featureName":"f","appName":"a","environment":"e","year":"y","nothing":null,"via":"v","extra":"e","a":"b","fun":"f","t":"t"}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":"2026-11-21T10:00:59Z","yes":999999999999999}',
      '{"featureName":"f","appName":"a","environment":"e","timestamp":"2026-11-21T10:00:59.123456789Z"}',
    ]) {
      expectBothWays(bodyOf([metric, metric]));
    }
  });

  it('takes environments and timestamps that repeat those of the metric before, and such as only begin like them', () => {
    const of = (environment: string, timestamp: string): string =>
      `{"featureName":"f","appName":"a","environment":"${environment}","timestamp":"${timestamp}","yes":1}`;
    const environments = ['e', 'e', 'prod', 'prod', 'production', 'production', 'productive', 'prod'];
    const times = ['10:00:59Z', '10:00:59Z', '10:00:59.1Z', '11:00:59.1Z', '11:00:59.1Z', '11:00:59.12Z'];
    const metrics = environments.flatMap((environment) =>
      times.map((time) => of(environment, `2026-11-21T${time}`)),
    );

    expectBothWays(bodyOf(metrics));
    expectBothWays(bodyOf(metrics.toReversed()));
  });

  it('leaves out variants that nobody was served, as the general way does', () => {
    for (const [variants, written] of [
      ['{"blue":410,"red":0}', 1],
      ['{"red":0}', 0],
    ] as const) {
      const body = bodyOf([USUAL.replace('{"blue":410,"red":402}', variants)]);
      const ways = [takeUsual(body), takeGeneral(body)];

      expect(ways.map((taken) => taken && decoded(encodeTaken(taken)).rows[VARIANTS_OF_A_ROW])).to.deep.equal(
        [written, written],
        variants,
      );
    }
  });

  it('takes applications and other members beside the metrics', () => {
    const applications = JSON.stringify([anApplication({ instanceId: 'ü' }), anApplication({ appName: '' })]);
    const body = `{"applications":${applications},"metrics":[${USUAL}],"impactMetrics":[{"a":[1]}],"seenTokens":["x"]}`;

    expectBothWays(Buffer.from(body));
    expectBothWays(Buffer.from(`{"metrics":[${USUAL}],"applications":[]}`));
  });

  it('leaves alone what is not usual', () => {
    for (const metric of [
      USUAL.replace('"f"', '"\\u0066"'),
      USUAL.replace('"f"', '"ü"'),
      USUAL.replace('"f"', '""'),
      USUAL.replace('"f"', `"${'f'.repeat(256)}"`),
      USUAL.replace('"production"', `"${'e'.repeat(101)}"`),
      USUAL.replace(',', ', '),
      USUAL.replace('812', '8.12'),
      USUAL.replace('812', '1e3'),
      USUAL.replace('812', '-1'),
      USUAL.replace('812', '012'),
      USUAL.replace('812', '"812"'),
      USUAL.replace('812', '1000000000000000'),
      USUAL.replace('812', 'nul'),
      USUAL.replace('"no"', '"yes"'),
      USUAL.replace('"red"', '"blue"'),
      USUAL.replace('402', 'null'),
      USUAL.replace('null', '{}'),
      USUAL.replace('2026-11-21', '2026-02-30'),
      USUAL.replace('2026-11-21', '2026-13-01'),
      USUAL.replace('2026-11-21', '1999-01-01'),
      USUAL.replace('10:01:03', '10:01:60'),
      USUAL.replace('10:01:03', '24:01:03'),
      USUAL.replace('.120Z', '.Z'),
      USUAL.replace('.120Z', '.1234567890Z'),
      USUAL.replace('.120Z', '+01:00'),
      USUAL.replace('.120Z', ''),
      USUAL.replace('"appName":"a",', ''),
      USUAL.slice(0, -1),
      `${USUAL},`,
      'null',
    ]) {
      expect(takeUsual(bodyOf([metric])), metric).to.equal(undefined);
    }
    for (const body of [
      '',
      '[]',
      '"metrics":[',
      `{"metrics":[${USUAL}]}`,
      `{"applications":[],"metrics":[${USUAL}]`,
      `{"applications":[],"metrics":[${USUAL}]}}`,
      `{"applications":[],"metrics":[${USUAL}],"metrics":[]}`,
      `{"applications":[],"metrics":[${USUAL}],"metri\\u0063s":[]}`,
      `{"applications":[{"appName":"a","metrics":[${USUAL}]}]}`,
      `{"applications":[],"inner":{"metrics":[${USUAL}]}}`,
      `{"applications":[{"appName":"metrics"}],"metrics":[${USUAL}]}`,
      `{"applications":{},"metrics":[${USUAL}]}`,
    ]) {
      expect(takeUsual(Buffer.from(body)), body).to.equal(undefined);
    }
  });

  it('leaves alone what must be refused', () => {
    for (const allowedEnvironment of ['development', 'productioN', 'productions', 'productio', ''])
      expect(takeUsual(bodyOf([USUAL]), { allowedEnvironment }), allowedEnvironment).to.equal(undefined);
    expectBothWays(bodyOf([USUAL]), { allowedEnvironment: 'production' });
    expect(takeUsual(bodyOf([usual({ variants: numbered(101) })]))).to.equal(undefined);
    for (const timestamp of [RECEIVED_AT - maxAgeMs - 1, RECEIVED_AT + maxFutureMs + 1])
      expect(takeUsual(bodyOf([usualAt(timestamp)])), `${timestamp}`).to.equal(undefined);
  });

  it('takes what is just not refused', () => {
    expectBothWays(bodyOf([usual({ featureName: 'f'.repeat(255), environment: 'e'.repeat(100) })]));
    expectBothWays(bodyOf([usual({ variants: numbered(100) })]));
    for (const timestamp of [RECEIVED_AT - maxAgeMs, RECEIVED_AT + maxFutureMs])
      expectBothWays(bodyOf([usualAt(timestamp)]));
  });

  it('says whether any metric has an exact time', () => {
    const [hour, exact] = [usualAt(RECEIVED_AT - 15 * 60_000), usualAt(RECEIVED_AT)];
    const hasExactTime = (...metrics: string[]) =>
      readUsualBatch(bodyOf(metrics), takeOptions())?.hasExactTime;
    expect([hasExactTime(), hasExactTime(hour, hour)]).to.deep.equal([false, false]);
    expect([hasExactTime(exact, hour), hasExactTime(hour, exact)]).to.deep.equal([true, true]);
  });

  it('takes as long for thousands of variants of one feature, or as many applications, as for usual metrics', () => {
    const variantsOf = (first: number): string =>
      JSON.stringify(Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`v${first + i}`, 1])));
    const usual = bodyOf(Array.from({ length: 480 }, (_, i) => USUAL.replace('"f"', `"f${i}"`)));
    const variants = Array.from({ length: 80 }, (_, i) => USUAL.replace(/{"blue.*?}/, variantsOf(i * 100)));
    const apps = Array.from({ length: 600 }, (_, i) => USUAL.replace('"a"', `"a${i}"`));

    const [least, ...others] = leastTimes([usual, bodyOf(variants), bodyOf(apps)]);
    for (const time of others) expect(time / (least ?? 0)).to.be.lessThan(20);
  });

  it('agrees with the general way about any batch', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        expectAgreement(Buffer.from(JSON.stringify(batch)));
      }),
    );
  });

  it('agrees with the general way about a body of which a byte was changed', () => {
    const body = bodyOf([USUAL, USUAL.replace('"f"', '"g"'), USUAL]);
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

  it('agrees with the general way about a body that was cut or of which a part was doubled', () => {
    const body = bodyOf([USUAL, USUAL]);
    fc.assert(
      fc.property(fc.nat(body.length), fc.nat(body.length), (from, to) => {
        expectAgreement(Buffer.concat([body.subarray(0, from), body.subarray(to)]));
      }),
      { numRuns: 5000 },
    );
  });
});

function usual(members: Parameters<typeof aMetric>[0]): string {
  return JSON.stringify(aMetric(members));
}

function usualAt(ms: number): string {
  return usual({ timestamp: new Date(ms).toISOString() });
}

/** As many variants, each served once. */
function numbered(count: number): Record<string, number> {
  return Object.fromEntries(Array.from({ length: count }, (_, i) => [`variant-${i}`, 1]));
}

/** How long the usual way takes for each body at best, of many times in turn. */
function leastTimes(bodies: readonly Buffer[]): number[] {
  const least = bodies.map(() => Infinity);
  for (let round = 0; round < 15; round += 1) {
    for (const [index, body] of bodies.entries()) {
      const start = performance.now();
      if (readUsualBatch(body, takeOptions()) === undefined) throw new Error('not usual');
      least[index] = Math.min(least[index] ?? 0, performance.now() - start);
    }
  }
  return least;
}
