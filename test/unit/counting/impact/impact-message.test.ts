import { expect } from 'chai';
import { type BatchImpact, NO_IMPACT, decodeCounts, readRelayImpact } from '#counting';
import {
  aCounter,
  aCountsValue,
  aHistogram,
  aggregateOptions,
  bytesOf,
  decoded,
} from '../../../support/builders/builders.ts';

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

  it('make a message undecodable if anything in them is spoilt', () => {
    const head = headOf(aCountsValue({ impactMetrics: IMPACT_METRICS, metrics: [] }));
    expect(problemOf(head)).to.equal(undefined);
    const accepted = [...spoilt(head['impact'])].filter(
      (impact) => problemOf({ ...head, impact }) === undefined,
    );
    expect(accepted).to.deep.equal([]);
  });
});

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
