// `make bench-reads`: reads.ts [--dense] [--directory .local/bench-reads]
import { parseArgs } from 'node:util';
import { type BenchStack, runOnStack } from './process/run-on-stack.ts';
import { measureHistory } from './reads/measure-history.ts';
import { DENSE_NINETY_DAYS, NINETY_DAYS } from './reads/roll-ups.ts';
import { describeReads } from './report/report.ts';

const { values } = parseArgs({
  options: {
    dense: { type: 'boolean', default: false },
    directory: { type: 'string', default: '.local/bench-reads' },
  },
});

await runOnStack(values.directory, measure);

/** Only the questions about 90 days: what a change of the tables or views does to them, or how they cope with ten times the rows. */
async function measure({ addresses, logs, interrupted }: BenchStack): Promise<void> {
  const rollUps = values.dense ? DENSE_NINETY_DAYS : NINETY_DAYS;
  const reads = await measureHistory(rollUps, { addresses, logs, say: console.log, interrupted });
  console.log(`\n${describeReads(reads)}`);
}
