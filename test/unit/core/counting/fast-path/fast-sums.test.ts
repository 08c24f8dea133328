import { expect } from 'chai';
import { type BatchNames, DistinctNames } from '#core/counting';
import { bodyOf, expectBothPaths, readFast } from './both-paths.ts';
import { aBatch, aMetric, aggregate, aggregateOptions } from '../../../../support/builders/builders.ts';
import { DEFAULT_NAME_LIMITS } from '../../../../support/builders/name-limits.ts';

const MAX = Number.MAX_SAFE_INTEGER;
/** The largest count that the fast path reads. */
const MAX_FAST = 999_999_999_999_999;

/**
 * The capacities of the tables, and bodies that need so much. The names of a body include at least an app and an
 * environment.
 */
const ROOM: readonly (readonly [what: string, room: number, bodyWith: (count: number) => Buffer])[] = [
  [
    'names',
    8192,
    (count) => bodyOf(inHundreds(count - 3, (variants) => metric({ variants: zero(variants) }))),
  ],
  ['groups', 1024, (count) => bodyOf(range(count).map((app) => metric({ appName: `a${app}` })))],
  [
    'rows',
    8192,
    (count) =>
      bodyOf(
        range(count).map((i) => metric({ featureName: `f${i % 100}`, appName: `a${Math.floor(i / 100)}` })),
      ),
  ],
  [
    'variants',
    8192,
    (count) =>
      bodyOf(
        inHundreds(count, (variants, i) =>
          metric({ featureName: `f${i}`, variants: one(variants.map((v) => v % 100)) }),
        ),
      ),
  ],
];

describe('the tables of the fast path', () => {
  for (const [what, room, bodyWith] of ROOM) {
    it(`have room for ${room} ${what}, and leave a body with more to the general path`, () => {
      expectBothPaths(bodyWith(room));
      expect(readFast(bodyWith(room + 1))).to.equal(undefined);
    });
  }

  it('serve one body after another, whatever the earlier one held', () => {
    const [long, short] = [range(300), [7]].map((features) =>
      bodyOf(features.map((i) => metric({ featureName: `f${i}`, variants: one([i]) }))),
    );
    for (const body of [long, short, long]) expectBothPaths(body ?? Buffer.of());
  });

  it('distinguish names of which one is a prefix of the other, at any position', () => {
    const names = ['a', 'b', 'c', 'd'].flatMap((letter) => range(250).map((i) => letter.repeat(i + 1)));
    const metrics = names.map((featureName) => metric({ featureName, yes: 1 }));
    expectBothPaths(bodyOf(metrics));
    expectBothPaths(bodyOf([...metrics.toReversed(), ...metrics]));
  });

  it('distinguish features, groups and variants of thousands of rows', () => {
    const metrics = range(4000).map((i) =>
      metric({
        featureName: `f${i % 80}`,
        appName: `a${Math.floor(i / 80)}`,
        yes: i,
        variants: { [`v${i % 7}`]: i, w: 1 },
      }),
    );
    expectBothPaths(bodyOf([...metrics, ...metrics]));
  });

  it('distinguish groups by environment alone, and by hour alone', () => {
    const { receivedAt } = aggregateOptions();
    const ofEnvironments = range(700).map((i) => metric({ environment: `e${i}`, yes: i + 1 }));
    const ofHours = range(700).map((i) =>
      metric({ timestamp: new Date(receivedAt - i * 3_600_000).toISOString(), yes: i + 1 }),
    );
    for (const metrics of [ofEnvironments, ofHours]) expectBothPaths(bodyOf([...metrics, ...metrics]));
  });

  for (const [what, counted] of [
    ['yes', (yes: number) => ({ yes })],
    ['no', (no: number) => ({ no })],
    ['a variant', (blue: number) => ({ variants: { blue } })],
  ] as const) {
    it(`hold a sum of exactly 2^53-1 of ${what}, and leave larger ones to the general path`, () => {
      const parts = [...range(9).map(() => MAX_FAST), MAX - 9 * MAX_FAST];
      const bodies = [0, 1].map((more) => bodyOf([...parts, more].map((part) => metric(counted(part)))));
      expectBothPaths(bodies[0] ?? Buffer.of());
      expect(readFast(bodies[1] ?? Buffer.of())).to.equal(undefined);
    });
  }
});

describe('a body for the fast path with a limited token', () => {
  const metrics = [
    aMetric({ featureName: 'f', appName: 'a', environment: 'e', variants: { x: 1, y: 1, unseen: 0 } }),
    aMetric({ featureName: 'g', appName: 'b', environment: 'd', variants: { y: 1 } }),
  ];
  const body = Buffer.from(JSON.stringify(aBatch({ metrics })));
  const used = { feature: 2, app: 2, environment: 2, variant: 2, row: 5 };

  it('is read if all its names and rows have room', () => {
    expectBothPaths(body, { names: namesWithin(used) });
  });

  for (const [kind, count] of Object.entries(used)) {
    it(`goes to the general path if it would exceed the token's limit of ${kind}, and uses no quota`, () => {
      const names = namesWithin({ ...used, [kind]: count - 1 });
      expect(readFast(body, { names })).to.equal(undefined);
      expect(names.savepoint()).to.equal(0);
    });

    it(`registers the same names of the kind ${kind} as the general path`, () => {
      const names = namesWithin(used);
      expect(readFast(body, { names })).not.to.equal(undefined);
      const admitted = names.savepoint();
      expect(aggregate(aBatch({ metrics }), { names }).refusals).to.deep.equal([]);
      expect(names.savepoint()).to.equal(admitted);
    });
  }
});

function namesWithin(limits: Partial<typeof DEFAULT_NAME_LIMITS>): BatchNames {
  return new DistinctNames({ ...DEFAULT_NAME_LIMITS, ...limits }).of('token', 500_000);
}

/** JSON of a metric in the form that the fast path reads. */
function metric(members: Parameters<typeof aMetric>[0]): string {
  return JSON.stringify({ featureName: 'f', appName: 'a', environment: 'e', ...members });
}

function range(count: number): number[] {
  return Array.from({ length: count }, (_, i) => i);
}

/** Metrics with a hundred variants each, the last one with the rest. */
function inHundreds(count: number, metricOf: (variants: number[], index: number) => string): string[] {
  return range(Math.ceil(count / 100)).map((index) =>
    metricOf(
      range(Math.min(100, count - 100 * index)).map((i) => 100 * index + i),
      index,
    ),
  );
}

function one(variants: readonly number[]): Record<string, number> {
  return Object.fromEntries(variants.map((variant) => [`v${variant}`, 1]));
}

/** Names that use up only the table of names, because the variants have a count of 0. */
function zero(variants: readonly number[]): Record<string, number> {
  return Object.fromEntries(variants.map((variant) => [`v${variant}`, 0]));
}
