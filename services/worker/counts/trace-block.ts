import type { Block } from '#core/counting';
import { type Tracing, withinSpan } from '#base/runtime';

type TracedBlock = {
  readonly tracing: Tracing | undefined;
  readonly block: Block;
  /** The traces of its messages, as traceparents. */
  readonly traces: readonly string[];
};

/** Runs the storing of a block in a span with links to the requests that sent its messages. Without traced ones it only runs. */
export async function traceBlock<T>(
  { tracing, block, traces }: TracedBlock,
  store: () => Promise<T>,
): Promise<T> {
  const { topic, partition, from, to } = block.range;
  if (tracing === undefined || traces.length === 0) return store();
  const span = tracing.start('store block', {
    kind: 'consumer',
    links: traces,
    attributes: {
      'messaging.system': 'kafka',
      'messaging.operation.type': 'process',
      'messaging.destination.name': topic,
      'messaging.destination.partition.id': String(partition),
      'messaging.batch.message_count': Number(to - from),
      'messaging.kafka.offset': Number(from),
      'flagmeter.metrics.counted': block.tally.counted,
      'flagmeter.metrics.refused': block.tally.refused,
      'flagmeter.metrics.duplicate': block.tally.duplicate,
    },
  });
  return span === undefined ? store() : withinSpan(span, store);
}
