import { expect } from 'chai';
import { type BucketSpan, decodeCounts } from '#core/counting';
import { encodeSpan } from '../../../../../packages/core/counting/message/bucket-span.ts';
import {
  aCountsValue,
  aLogMessage,
  aMetric,
  aggregateMetrics,
  encodeAggregated,
} from '../../../../support/builders/builders.ts';
import { blockOf } from '../../../../support/model/replay.ts';

const SPAN: BucketSpan = {
  appName: 'shop',
  environment: 'production',
  instance: 42,
  start: 1_795_600_000_000,
  stop: 1_795_600_060_000,
};

/** A message whose head has this member. */
function withSpan(span: unknown): Uint8Array {
  const text = Buffer.from(aCountsValue()).toString('latin1');
  return Buffer.from(text.replace('{', `{"span":${JSON.stringify(span)},`), 'latin1');
}

describe('the time that a bucket of an SDK covers', () => {
  it('is in the message, and in the block', () => {
    const value = encodeAggregated(aggregateMetrics([aMetric()]), { span: SPAN });
    const decoded = decodeCounts(value);
    expect('message' in decoded && decoded.message.span).to.deep.equal(SPAN);
    const { spans } = blockOf([{ ...aLogMessage(), value }, aLogMessage({ offset: 1, batchId: 'other' })]);
    expect(spans).to.deep.equal([SPAN]);
  });

  it('is in the block once if the batch is repeated', () => {
    const value = withSpan(encodeSpan(SPAN));
    const { spans } = blockOf([
      { ...aLogMessage(), value },
      { ...aLogMessage({ offset: 1 }), value },
    ]);
    expect(spans).to.have.lengthOf(1);
  });

  for (const [title, span] of [
    ['no list', {}],
    ['a name that cannot be stored', ['', 'production', 1, SPAN.start, SPAN.stop]],
    ['an end before its beginning', ['shop', 'production', 1, SPAN.stop, SPAN.start]],
    ['a time that ClickHouse cannot read', ['shop', 'production', 1, 5, SPAN.stop]],
    ['an instance that is no number', ['shop', 'production', 'i-1', SPAN.start, SPAN.stop]],
    ['a time that ClickHouse cannot store', ['shop', 'production', 1, SPAN.start, 2 ** 50]],
  ] as const)
    it(`makes the message unreadable if it is ${title}`, () => {
      expect(decodeCounts(withSpan(span))).to.deep.equal({ problem: 'bad span' });
    });
});
