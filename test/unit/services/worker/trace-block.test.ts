import { expect } from 'chai';
import { type Span, type StartOptions, type Tracing, currentSpan } from '#base/runtime';
import { traceBlock } from '../../../../services/worker/counts/trace-block.ts';
import { RECEIVED_AT, aMetric } from '../../../support/builders/builders.ts';
import { aBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';

const BLOCK = aBlock({
  from: 5n,
  partition: 3,
  receivedAt: RECEIVED_AT,
  metrics: [aMetric({ yes: 1 }), aMetric({ no: 1 }), aMetric({ featureName: '' })],
});
const TRACES = ['00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01'];

describe('the span of a stored block', () => {
  it('names the block and its tally, and is linked to the requests of its messages', async () => {
    const { tracing, started } = aTracing();
    await traceBlock({ tracing, block: BLOCK, traces: TRACES }, () => Promise.resolve());

    expect(started).to.deep.equal([
      [
        'store block',
        {
          kind: 'consumer',
          links: TRACES,
          attributes: {
            'messaging.system': 'kafka',
            'messaging.operation.type': 'process',
            'messaging.destination.name': 'counts',
            'messaging.destination.partition.id': '3',
            'messaging.batch.message_count': 1,
            'messaging.kafka.offset': 5,
            'flagmeter.metrics.counted': 2,
            'flagmeter.metrics.refused': 1,
            'flagmeter.metrics.duplicate': 0,
          },
        },
      ],
    ]);
  });

  it('holds the work, and ends with it', async () => {
    const { tracing, span, ended } = aTracing();
    const found = await traceBlock({ tracing, block: BLOCK, traces: TRACES }, () =>
      Promise.resolve(currentSpan()),
    );

    expect(found).to.equal(span);
    expect(ended).to.deep.equal([undefined]);
  });

  it('is absent if no message was traced, or the block is not sampled', async () => {
    const { tracing, started } = aTracing();
    const unsampled: Tracing = { ...tracing, start: () => undefined };
    const found = [
      await traceBlock({ tracing, block: BLOCK, traces: [] }, () => Promise.resolve(currentSpan())),
      await traceBlock({ tracing: unsampled, block: BLOCK, traces: TRACES }, () => Promise.resolve('stored')),
      await traceBlock({ tracing: undefined, block: BLOCK, traces: TRACES }, () => Promise.resolve('stored')),
    ];

    expect(found).to.deep.equal([undefined, 'stored', 'stored']);
    expect(started).to.deep.equal([]);
  });
});

/** Tracing that samples every span, and records what is started and how it ends. */
function aTracing() {
  const started: [string, StartOptions][] = [];
  const ended: unknown[] = [];
  const span: Span = {
    traceId: '1',
    traceparent: '',
    isRecording: () => true,
    child: () => span,
    rename: () => undefined,
    set: () => undefined,
    end(failure) {
      ended.push(failure);
    },
  };
  const tracing: Tracing = {
    start(name, options) {
      started.push([name, options]);
      return span;
    },
    stop: () => Promise.resolve(),
  };
  return { tracing, span, started, ended };
}
