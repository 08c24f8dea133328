import { expect } from 'chai';
import { DuplicateWindow, type LogMessage, buildBlock, endOf } from '#core/counting';
import {
  aLogMessage,
  aMetric,
  aggregateMetrics,
  encodeAggregated,
} from '../../../../support/builders/builders.ts';
import { WINDOW_MS, afterMs, blockOf, rangeOf } from '../../../../support/model/replay.ts';

describe('the traces of a block', () => {
  it('are those of its messages that are sampled', () => {
    const traces = ['00-1-2-01', '00-3-4-00', undefined, '00-5-6-03', '00-7-8-ff', '00-9-a-02'];
    expect(tracesOf(traces.map(aTracedMessage))).to.deep.equal(['00-1-2-01', '00-5-6-03', '00-7-8-ff']);
  });

  it('are none of a repeated batch', () => {
    const message = aTracedMessage('00-1-2-01', 0);
    expect(tracesOf([message, { ...message, offset: 1n }])).to.deep.equal(['00-1-2-01']);
  });

  it('are the first 128', () => {
    const all = Array.from({ length: 130 }, (_, index) => `00-${index}-0-01`);
    expect(tracesOf(all.map(aTracedMessage))).to.deep.equal(all.slice(0, 128));
  });
});

describe('the evidence of a block', () => {
  it('is what trusted tokens sent, and nothing of others', () => {
    const messages = ['trusted', 'other'].map((tokenId, offset) =>
      aLogMessage({
        offset,
        tokenId,
        batchId: tokenId,
        isTrusted: tokenId === 'trusted',
        metrics: [aMetric({ yes: 3 })],
      }),
    );
    const { evidence } = blockOf(messages);
    expect(evidence.map(({ token, arm, exposures }) => [token, arm, exposures])).to.deep.equal([
      ['trusted', 'enabled', 3],
      ['trusted', 'disabled', 0],
    ]);
  });
});

describe('the end of a block', () => {
  it('is behind its messages, at the append time of the last one', () => {
    const messages = [7, 8, 9].map((offset) => aLogMessage({ offset, appendedAt: afterMs(offset) }));
    expect(endOf(blockOf(messages))).to.deep.equal({ messages: 3, appendedTo: afterMs(9) });
  });
});

function tracesOf(messages: readonly LogMessage[]): readonly string[] {
  return buildBlock(rangeOf(messages), messages, { duplicates: new DuplicateWindow(WINDOW_MS) }).traces;
}

function aTracedMessage(traceparent: string | undefined, index: number): LogMessage {
  const value = encodeAggregated(aggregateMetrics([aMetric()]), { batchId: `batch ${index}`, traceparent });
  return { offset: BigInt(index), value, appendedAt: afterMs(0) };
}
