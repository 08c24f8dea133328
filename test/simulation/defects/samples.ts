import type { Defect } from './defect.ts';

/** Rules about samples of impact metrics, which counts alone do not break. */
export const DEFECTS_OF_SAMPLES: readonly Defect[] = [
  {
    name: 'samples are not among the targets of a block',
    file: 'packages/core/clickhouse/blocks/markers.ts',
    from: "...Array.from(impact.days.keys(), (day) => ({ kind: 'impact' as const, day: isoDay(day) })),",
    to: '',
  },
  {
    name: 'a block has no markers of its samples',
    file: 'packages/core/clickhouse/blocks/rows/marker-rows.ts',
    from: 'yield* impactMarkerLines(block, { key, messages });',
    to: '',
  },
  {
    name: 'tables of samples ignore the tokens of blocks',
    file: 'test/simulation/clickhouse/server.ts',
    from: 'if (this.#tables.tokens.has(key)) return;',
    to: "if (this.#tables.tokens.has(key) && !part.table.startsWith('impact')) return;",
  },
  {
    name: 'samples of a repeated batch are added up again',
    file: 'packages/core/counting/block/block.ts',
    from: 'impact.addDuplicate(message.impact);',
    to: 'impact.add(message.impact, receivedAt);',
  },
  {
    name: 'a body that has only samples is not published',
    file: 'services/ingest/bodies/prepare-publication.ts',
    from: ' && impact.received === 0;',
    to: ';',
  },
  {
    name: 'the progress of the mirror leaves out posts of samples',
    file: 'services/unleash-bridge/mirror/mirrored-partition.ts',
    from: 'note: async (isSent) => {',
    to: "note: async (isSent) => {\n        if (kind === 'impact') return;",
  },
];
