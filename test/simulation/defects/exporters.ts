import type { Defect } from './defect.ts';

const SERIES = 'packages/core/counting/series';

/** Rules about counters that add up from their start, and about reasons, which only SDKs of OpenTelemetry send. */
export const DEFECTS_OF_EXPORTERS: readonly Defect[] = [
  {
    name: 'each value of a counter counts whole',
    file: `${SERIES}/series-of-block.ts`,
    from: 'const added = Math.max(0, value - last.value);',
    to: 'const added = value;',
  },
  {
    name: 'a result that nobody reported counts as a yes',
    file: 'packages/core/counting/batch/aggregate-evaluations.ts',
    from: "yes: result === 'enabled' ? count : 0,",
    to: "yes: result === 'disabled' ? 0 : count,",
  },
  {
    name: 'unknown results of counters are lost',
    file: 'packages/core/counting/message/add-message.ts',
    from: "if (result === 'unknown') sums.addUnknown(added);",
    to: '',
  },
  {
    name: 'unknown results of records are lost',
    file: 'packages/core/counting/message/add-message.ts',
    from: 'sums.addUnknown(count);',
    to: '',
  },
  {
    name: 'a late value breaks its counter',
    file: `${SERIES}/series-of-block.ts`,
    from: 'const isFallen = value < last.value && at > last.at;',
    to: 'const isFallen = value < last.value;',
  },
  {
    name: 'the next block does not know the last values of counters',
    file: 'packages/core/counting/block/block.ts',
    from: 'history.series?.remember(block.series);',
    to: '',
  },
  {
    name: 'a worker that takes over does not know the last values of counters',
    file: 'services/worker/counts/take-over-counts.ts',
    from: 'new SeriesStates(history.series)',
    to: 'new SeriesStates()',
  },
  {
    name: 'a block that is built again begins with the values at its end',
    file: `${SERIES}/token-of-block.ts`,
    from: 'const before = this.#known.get(key)?.state;',
    to: 'const before = state ?? this.#known.get(key)?.state;',
  },
  {
    name: 'a counter that starts again continues the one before',
    file: `${SERIES}/known-series.ts`,
    from: 'return `${series}${startedAt}`;',
    to: 'return `${series}${startedAt * 0}`;',
  },
  {
    name: 'counters go to any partition',
    file: 'services/ingest/publish/publisher.ts',
    from: 'const ofCounters = hasPoints ? partitionSenders.counts[PARTITION_OF_COUNTERS] : undefined;',
    to: 'const ofCounters = hasPoints\n      ? partitionSenders.counts[Math.floor(Math.random() * partitionSenders.counts.length + PARTITION_OF_COUNTERS)]\n      : undefined;',
  },
  {
    name: 'a retry of an exporter is not recognised',
    file: 'services/ingest/bodies/prepare-publication.ts',
    from: 'if (sender === undefined) return ofBody;',
    to: 'if (sender === undefined) return undefined;',
  },
  {
    name: 'reasons are not among the targets of a block',
    file: 'packages/core/clickhouse/blocks/markers.ts',
    from: "...Array.from(reasons.days.keys(), (day) => ({ kind: 'reasons' as const, day: isoDay(day) })),",
    to: '',
  },
  {
    name: 'a block has no markers of its reasons',
    file: 'packages/core/clickhouse/blocks/rows/marker-rows.ts',
    from: 'yield* reasonMarkerLines(block, { key, messages });',
    to: '',
  },
  {
    name: 'what a counter adds has no reason',
    file: 'packages/core/counting/message/add-message.ts',
    from: '  reasons.add({ feature, group }, point, added);',
    to: '  if (added < 0) reasons.add({ feature, group }, point, added);',
  },
];
