import { expect } from 'chai';
import type { Block } from '#core/counting';
import { encodeBlocks, tableOf } from '../../../../../packages/core/clickhouse/blocks/rows/block-rows.ts';
import {
  COUNT_COLUMNS,
  MIXED_COLUMNS,
} from '../../../../../packages/core/clickhouse/blocks/rows/row-values.ts';
import { aCounter, aMetric } from '../../../../support/builders/builders.ts';
import { aBlock, aDeadBlock } from '../../../../support/stack/engines/clickhouse/stored-blocks.ts';

const NOW = new Date().toISOString();
const COUNTS = { metrics: [aMetric({ yes: 2, no: 1, variants: { on: 2 }, timestamp: NOW })] };
const MIXED: Readonly<Record<string, () => Block>> = {
  'a refusal': () => aBlock({ metrics: [aMetric({ yes: 1, timestamp: '1999-12-31T00:00:00Z' })] }),
  'a reason': () => aBlock({ ...COUNTS, reasons: [{ reason: 'SPLIT' }] }),
  'a sample': () => aBlock({ metrics: [], impactMetrics: [aCounter()] }),
  'a counter': () => aBlock({ metrics: [], points: [{ value: 1, startedAt: 1, at: Date.now() }] }),
};

describe('blocks', () => {
  it('go to block_rows if they hold nothing but counts, and fill only its columns', () => {
    const blocks = [aBlock(COUNTS), aDeadBlock(1n)];

    expect(tableOf(blocks)).to.deep.equal({ table: 'block_rows', columns: COUNT_COLUMNS });
    expect(widest(blocks)).to.equal(COUNT_COLUMNS.length);
  });

  for (const [what, make] of Object.entries(MIXED))
    it(`go to mixed_block_rows if one of them holds ${what}`, () => {
      const blocks = [aBlock(COUNTS), make()];

      expect(tableOf(blocks)).to.deep.equal({ table: 'mixed_block_rows', columns: MIXED_COLUMNS });
      expect(widest(blocks)).to.be.above(COUNT_COLUMNS.length);
    });
});

/** Values in the longest row. */
function widest(blocks: readonly Block[]): number {
  const lines = [...encodeBlocks(blocks)].join('').trimEnd().split('\n');
  return Math.max(...lines.map((line) => (JSON.parse(line) as unknown[]).length));
}
