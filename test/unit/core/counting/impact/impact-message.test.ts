import { expect } from 'chai';
import { type BatchImpact, NO_IMPACT, decodeCounts, readRelayImpact } from '#core/counting';
import { decodeImpact, encodeImpact } from '../../../../../packages/core/counting/impact/impact-message.ts';
import {
  aCounter,
  aCountsValue,
  aHistogram,
  aggregateOptions,
  bytesOf,
  decoded,
} from '../../../../support/builders/builders.ts';

const IMPACT_METRICS = [
  aCounter(),
  aCounter({ samples: [{ value: 0.25, labels: { größe: '' } }, { value: 1e15 }] }),
  aHistogram(),
  aCounter({ name: 'load', type: 'gauge', samples: [{ value: -1.5 }] }),
];

describe('samples in a message', () => {
  it('are the same after encoding and decoding', () => {
    const { refusals: _, ...impact } = readRelayImpact({ impactMetrics: IMPACT_METRICS }, aggregateOptions());
    expect(decodedImpact(IMPACT_METRICS)).to.deep.equal(impact);
  });

  it('are none in a message of a body without any', () => {
    expect(decoded(aCountsValue()).impact).to.equal(NO_IMPACT);
    expect(Buffer.from(aCountsValue()).toString('latin1')).to.not.include('impact');
  });

  it('are as many as received, with those that were refused', () => {
    const { received, samples } = decodedImpact([...IMPACT_METRICS, aCounter({ type: 'summary' })]);
    expect([received, samples.length]).to.deep.equal([6, 5]);
  });

  it('that are refused never make a message undecodable, however long the name of a label is', () => {
    const name = 'x'.repeat(255);
    const labels = [[], Infinity, null, {}, 'y'.repeat(300), 'y\0', name].map((value) => ({
      [name]: value,
    }));
    const { received, samples } = decodedImpact([
      aCounter({ samples: labels.map((of) => ({ value: 1, labels: of })) }),
    ]);
    expect([received, samples.length]).to.deep.equal([7, 2]);
  });

  it('make a message undecodable if anything in them is spoilt', () => {
    const head = headOf(aCountsValue({ impactMetrics: IMPACT_METRICS, metrics: [] }));
    expect(problemOf(head)).to.equal(undefined);
    const accepted = [...spoilt(head['impact'])].filter(
      (impact) => problemOf({ ...head, impact }) === undefined,
    );
    expect(accepted).to.deep.equal([]);
  });
});

describe('samples in a message, as JSON', () => {
  it('have each text once', () => {
    const sizes = ['L', 'M', 'L'].map((size) => ({ value: 1, labels: { size } }));
    const texts = ['size', 'L', 'unknown', 'default', '', 'M'];
    expect(encodedOf(aCounter({ samples: sizes }))[1]).to.deep.equal(texts);
  });

  it('may have the last hour that ClickHouse stores, and none after it', () => {
    const lastHour = Math.floor(0xffff_ffff / 3600) - 1;
    expect(acceptsSample([0, 0, 0, lastHour, [], '1'])).to.equal(true);
    expect(acceptsSample([0, 0, 0, lastHour + 1, [], '1'])).to.equal(false);
  });

  it('have a value for each label', () => {
    expect(acceptsSample([0, 0, 0, 1, [0, 0], '1'])).to.equal(true);
    expect(acceptsSample([0, 0, 0, 1, [0], '1'])).to.equal(false);
  });

  it('have totals that are whole numbers of bounded size, as text', () => {
    const lowest = `-1${'0'.repeat(24)}`;
    expect(acceptsSample([0, 0, 0, 1, [], lowest])).to.equal(true);
    for (const total of [1, '', '-', 'x1', '1x', '1.5', ['1'], `${lowest}0`])
      expect(acceptsSample([0, 0, 0, 1, [], total])).to.equal(false);
  });
});

function encodedOf(metric: unknown): readonly unknown[] {
  return encodeImpact(readRelayImpact({ impactMetrics: [metric] }, aggregateOptions()));
}

/** Whether a message may have this sample of a counter, whose only text is `a`. */
function acceptsSample(sample: readonly unknown[]): boolean {
  return decodeImpact([1, ['a'], [['counter', 'purchases', '', [sample]]]]) !== undefined;
}

function decodedImpact(impactMetrics: readonly unknown[]): BatchImpact {
  return decoded(aCountsValue({ impactMetrics })).impact;
}

function headOf(value: Uint8Array): Record<string, unknown> {
  return JSON.parse(Buffer.from(value).toString('utf8').split('\n', 1)[0] ?? '') as Record<string, unknown>;
}

function problemOf(head: unknown): string | undefined {
  const result = decodeCounts(bytesOf(`${JSON.stringify(head)}\n`));
  return 'problem' in result ? result.problem : undefined;
}

/** Copies in which one value, at any depth, is replaced by one that no place of a message may hold. */
function* spoilt(value: unknown): Generator {
  if (typeof value !== 'number' || Number.isInteger(value)) yield -1; // a fraction is the value of a gauge
  yield 'a\u0000b';
  yield true;
  if (!Array.isArray(value)) return;
  for (const [index, item] of value.entries())
    for (const other of spoilt(item)) yield value.with(index, other);
}
