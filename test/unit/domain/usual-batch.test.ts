import {
  type TakeOptions,
  type TakenBatch,
  type UsualSums,
  readUsualBatch,
  takeBatch,
  validateBatch,
} from '#domain';
import { expect } from 'chai';
import fc from 'fast-check';
import { batches } from '../../support/arbitraries.ts';
import { aMetric, anApplication, decoded, encodeTaken, takeOptions } from '../../support/builders.ts';
import { sumsOfMessage } from '../../support/naive-sums.ts';

const USUAL =
  '{"featureName":"f","appName":"a","environment":"production","timestamp":"2026-11-21T10:01:03.120Z","yes":812,"no":41,"variants":{"blue":410,"red":402},"sdkVersion":null,"platformName":"node"}';

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
    const options = { allowedEnvironment: 'development' };
    expect(takeUsual(bodyOf([USUAL]), options)).to.equal(undefined);
    expect(takeUsual(bodyOf([USUAL]), { allowedEnvironment: 'production' })).not.to.equal(undefined);
    const variants = Object.fromEntries(Array.from({ length: 101 }, (_, i) => [`v${i}`, 1]));
    const many = JSON.stringify(aMetric({ variants }));
    expect(takeUsual(bodyOf([many]))).to.equal(undefined);
  });

  it('leaves alone what its tables have no room for, and sums beyond 2^53-1', () => {
    const features = Array.from({ length: 9000 }, (_, i) =>
      JSON.stringify(aMetric({ featureName: `f${i}` })),
    );
    expect(takeUsual(bodyOf(features))).to.equal(undefined);
    const most = USUAL.replace('812', '999999999999999');
    expect(takeUsual(bodyOf(Array.from({ length: 9 }, () => most)))).not.to.equal(undefined);
    expect(takeUsual(bodyOf(Array.from({ length: 10 }, () => most)))).to.equal(undefined);
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

function bodyOf(metrics: readonly string[]): Buffer {
  return Buffer.from(`{"applications":[],"metrics":[${metrics.join(',')}]}`);
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

/** The usual way takes it, and comes to the same as the general way. */
function expectBothWays(body: Buffer): void {
  expect(expectAgreement(body), body.toString()).to.equal('usual');
}

/** Whatever the usual way takes, the general way takes too, and to the same counts. */
function expectAgreement(body: Buffer): 'usual' | 'general' {
  const usual = takeUsual(body);
  if (usual === undefined) return 'general';
  const general = takeGeneral(body);
  if (general === undefined) throw new Error('the general way refuses it');
  expect(contentOf(usual)).to.deep.equal(contentOf(general));
  return 'usual';
}

function takeUsual(body: Buffer, options: Partial<TakeOptions> = {}): TakenBatch<UsualSums> | undefined {
  const usual = readUsualBatch(body, takeOptions(options));
  if (usual === undefined) return undefined;
  const rest = takeGeneral(usual.rest, options);
  return rest && { ...rest, received: usual.received, sums: usual.sums };
}

function takeGeneral(body: Buffer, options: Partial<TakeOptions> = {}): TakenBatch | undefined {
  try {
    const result = validateBatch(JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body)));
    return 'batch' in result ? takeBatch(result.batch, takeOptions(options)) : undefined;
  } catch {
    return undefined;
  }
}

function contentOf(taken: TakenBatch | TakenBatch<UsualSums>): unknown {
  const { received, refusals, applications } = taken;
  return { received, refusals, applications, sums: sumsOfMessage(decoded(encodeTaken(taken))) };
}
