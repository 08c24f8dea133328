// `make bench-reads`: reads.ts [--dense] [--directory .local/bench-reads]
import path from 'node:path';
import { parseArgs } from 'node:util';
import { compile } from '../run/compile.ts';
import { runProgram } from '../run/run-program.ts';
import { cleanStack, downStack, upStack } from '../stack/index.ts';
import { measureHistory } from './reads/measure-history.ts';
import { DENSE_NINETY_DAYS, NINETY_DAYS } from './reads/roll-ups.ts';
import { describeReads } from './report/report.ts';

const { values } = parseArgs({
  options: {
    dense: { type: 'boolean', default: false },
    directory: { type: 'string', default: path.resolve(import.meta.dirname, '../../.local/bench-reads') },
  },
});
const directory = path.resolve(values.directory);
const logs = path.join(directory, 'logs');

await runProgram(logs, measure);

/** Only the questions about 90 days: what a change of the tables or views does to them, or how they cope with ten times the rows. */
async function measure(interrupted: AbortSignal): Promise<number> {
  try {
    await compile();
    await cleanStack(directory);
    const addresses = await upStack({ directory, freePorts: true, report: () => undefined });
    const rollUps = values.dense ? DENSE_NINETY_DAYS : NINETY_DAYS;
    const reads = await measureHistory(rollUps, { addresses, logs, say: console.log, interrupted });
    console.log(`\n${describeReads(reads)}`);
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await downStack(directory);
  }
  await cleanStack(directory);
  return interrupted.aborted ? 130 : 0;
}
