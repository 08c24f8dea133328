import { expect } from 'chai';
import fc from 'fast-check';
import { type RelayBatch, cutBatch } from '../../../../tools/relay/index.ts';
import { aRelayApplication, aRelayBatch, aRelayMetric, bodyOf, metricsOfSize } from './builders.ts';

describe('cutBatch', () => {
  it('does not cut a batch of 102,399 bytes', () => {
    const batch = aRelayBatch({ metrics: metricsOfSize(102_399) });
    expect(bodyOf(batch)).to.have.lengthOf(102_399);
    expect(cutBatch(batch)).to.deep.equal([batch]);
  });

  it('cuts a batch of 102,400 bytes', () => {
    const batch = aRelayBatch({ metrics: metricsOfSize(102_400) });
    expect(bodyOf(batch)).to.have.lengthOf(102_400);
    expect(cutBatch(batch)).to.have.lengthOf(2);
  });

  it('sends an item alone if it is larger than a body', () => {
    const large = aRelayMetric({ featureName: 'x'.repeat(110_000) });
    const small = aRelayMetric({});
    const chunks = cutBatch(aRelayBatch({ metrics: [small, large, small] }));
    expect(chunks.map(({ metrics }) => metrics)).to.deep.equal([[small], [large], [small]]);
  });

  it('keeps every item in order, in bodies of at most 97,280 bytes without room for the next item', () => {
    fc.assert(
      fc.property(largeBatch(), (batch) => {
        const chunks = cutBatch(batch);
        expect(itemsOf(...chunks)).to.deep.equal(itemsOf(batch));
        expect(chunks.length).to.be.greaterThan(1);
        for (const [index, chunk] of chunks.entries()) {
          const next = chunks
            .slice(index + 1, index + 2)
            .flatMap((following) => itemsOf(following).slice(0, 1));
          expect(sizeOf(chunk)).to.be.at.most(97_280);
          for (const item of next) {
            const roomForPartName = ',"impactMetrics":[]'.length;
            expect(sizeOf(chunk) + sizeOf(item) + roomForPartName).to.be.greaterThan(97_280);
          }
        }
      }),
      { numRuns: 30 },
    );
  });
});

/** 100 to 300 kB in all four parts, with letters of one, two and three bytes. */
function largeBatch(): fc.Arbitrary<RelayBatch> {
  const name = fc
    .tuple(fc.constantFrom('a', 'é', '開'), fc.integer({ min: 1, max: 250 }))
    .map(([letter, length]) => letter.repeat(length));
  const names = fc.array(name, { minLength: 20, maxLength: 60 });
  return fc.tuple(names, names, names, names).map(([apps, features, helps, secrets]) => ({
    applications: repeated(apps, 60).map((appName) => aRelayApplication({ appName })),
    metrics: repeated(features, 300).map((featureName) => aRelayMetric({ featureName })),
    impactMetrics: repeated(helps, 60).map((help) => ({ type: 'gauge', name: 'n', help, samples: [] })),
    seenTokens: repeated(secrets, 100),
  }));
}

function repeated(names: readonly string[], count: number): string[] {
  return Array.from({ length: count }, (_item, index) => names[index % names.length] ?? '');
}

function itemsOf(...batches: RelayBatch[]): unknown[] {
  const parts = ['applications', 'metrics', 'impactMetrics', 'seenTokens'] as const;
  return parts.flatMap((part) => batches.flatMap((batch): readonly unknown[] => batch[part]));
}

/** Size as JSON in bytes. Empty optional parts of a batch are not sent. */
function sizeOf(value: unknown): number {
  const text = JSON.stringify(value).replace(',"impactMetrics":[]', '').replace(',"seenTokens":[]', '');
  return Buffer.byteLength(text);
}
