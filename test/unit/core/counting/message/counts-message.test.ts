import { expect } from 'chai';
import fc from 'fast-check';
import { decodeCounts } from '#core/counting';
import { batches } from '../../../../support/builders/arbitraries.ts';
import {
  aMetric,
  bytesOf,
  decoded,
  encodeAggregated,
  aggregate,
  aggregateMetrics,
} from '../../../../support/builders/builders.ts';
import { sumsOfCounts, sumsOfMessage, totalOf } from '../../../../support/model/naive-sums.ts';

describe('a counts message', () => {
  it('preserves the envelope', () => {
    const envelope = { batchId: 'id', receivedAt: 7, tokenId: 't', traceparent: '00-1-2-01' };
    const aggregated = aggregateMetrics([aMetric(), aMetric()]);
    expect(decoded(encodeAggregated(aggregated, envelope))).to.include({ ...envelope, received: 2 });
  });

  it('preserves the absence of a trace', () => {
    expect(decoded(encodeAggregated(aggregateMetrics([aMetric()]))).traceparent).to.equal(undefined);
  });

  it('preserves whether its token is trusted', () => {
    const aggregated = aggregateMetrics([aMetric()]);
    const given = [{ isTrusted: true }, { isTrusted: false }, {}];
    const messages = given.map((envelope) => encodeAggregated(aggregated, envelope));
    expect(messages.map((message) => decoded(message).isTrusted)).to.deep.equal([true, false, false]);
    // Nearly no token is, so the others save the bytes.
    const trusted = messages.map((message) => Buffer.from(message).includes('trusted'));
    expect(trusted).to.deep.equal([true, false, false]);
  });

  it('preserves a batch without metrics', () => {
    expect(decoded(encodeAggregated(aggregateMetrics([])))).to.include({ received: 0 });
  });

  it('preserves the counts of any batch', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const aggregated = aggregate(batch);
        expect(sumsOfMessage(decoded(encodeAggregated(aggregated)))).to.deep.equal(
          sumsOfCounts(aggregated.sums),
        );
      }),
    );
  });

  it('preserves unknown results', () => {
    const aggregated = aggregateMetrics([aMetric({ yes: 1 }), aMetric({ featureName: 'other', no: 2 })]);
    for (const count of [Number.MAX_SAFE_INTEGER, 7]) {
      aggregated.sums.select(0, aggregated.sums.nameId('other'));
      aggregated.sums.addUnknown(count);
    }
    const sums = sumsOfMessage(decoded(encodeAggregated(aggregated)));
    expect(sums).to.deep.equal(sumsOfCounts(aggregated.sums));
    expect(totalOf(sums, 'unknown')).to.equal(BigInt(Number.MAX_SAFE_INTEGER) + 7n);
  });

  it('preserves the refusals of any batch', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const aggregated = aggregate(batch, { allowedEnvironment: 'production' });
        const sent = aggregated.refusals.map(({ place: _ofBody, ...refusal }) => refusal);
        expect(decoded(encodeAggregated(aggregated)).refusals).to.deep.equal(sent);
      }),
    );
  });

  it('preserves sums beyond 2^53-1', () => {
    const metrics = Array.from({ length: 3 }, () => aMetric({ no: Number.MAX_SAFE_INTEGER }));
    const sums = sumsOfMessage(decoded(encodeAggregated(aggregateMetrics(metrics))));
    expect(totalOf(sums, 'no')).to.equal(3n * BigInt(Number.MAX_SAFE_INTEGER));
  });

  it('names every distinct name once', () => {
    fc.assert(
      fc.property(batches, (batch) => {
        const { names } = decoded(encodeAggregated(aggregate(batch)));
        expect(new Set(names).size).to.equal(names.length);
      }),
    );
  });
});

describe('decodeCounts', () => {
  it('rejects a message without a value', () => {
    expect(decodeCounts(null)).to.deep.equal({ problem: 'no value' });
  });

  it('never accepts arbitrary bytes and never throws', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => {
        expect(decodeCounts(bytes)).to.have.property('problem');
      }),
    );
  });

  it('never accepts arbitrary JSON and never throws', () => {
    fc.assert(
      fc.property(fc.json(), (text) => {
        expect(decodeCounts(bytesOf(text))).to.have.property('problem');
      }),
    );
  });

  it('rejects JSON with endless nesting', () => {
    expect(decodeCounts(bytesOf(`${'['.repeat(500_000)}\n`))).to.deep.equal({ problem: 'not JSON' });
  });
});
