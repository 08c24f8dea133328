import { readdirSync } from 'node:fs';
import path from 'node:path';
import { enginesDirectory } from '../layout.ts';
import { StackError } from '../stack-error.ts';
import { withLock } from './lock.ts';
import { type Report, announced, once, source } from './prepare.ts';
import { findProgram, runProgram } from './programs.ts';
import { stampOf } from './stamp.ts';

const DIRECTORY = path.join(enginesDirectory, 'collector');
/** The binary that `prepareCollector` builds. */
export const collectorBinary = path.join(DIRECTORY, 'collector');
const buildTimeoutMs = 30 * 60_000;

/**
 * Builds a real OpenTelemetry Collector of the components that the tests need: two minutes of CPU and 1 GB. Needs Go, which compares
 * the modules with `go.sum`.
 */
export async function prepareCollector(report: Report = console.log): Promise<void> {
  const files = readdirSync(source('collector')).map((name) => source(`collector/${name}`));
  const stamp = stampOf(path.join(DIRECTORY, '.prepared'), {
    files,
    texts: [`${process.platform}-${process.arch}`],
  });
  await withLock(`${DIRECTORY}.lock`, () =>
    once(stamp, () => announced(report, 'the Collector from the Go module proxy', build)),
  );
}

async function build(): Promise<void> {
  if ((await findProgram('go')) === undefined)
    throw new StackError('not-installed', 'go, which builds the Collector, is missing: https://go.dev/dl');
  await runProgram('go', {
    args: ['build', '-mod=readonly', '-trimpath', '-ldflags=-s -w', '-o', collectorBinary, '.'],
    timeoutMs: buildTimeoutMs,
    cwd: source('collector'),
  });
}
