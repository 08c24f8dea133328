import { readdirSync } from 'node:fs';
import path from 'node:path';
import { enginesDirectory } from '../../layout.ts';
import { StackError } from '../../stack-error.ts';
import { PLATFORM, type Report, installOnceLocked, source } from '../install-once.ts';
import { findProgram, runProgram } from '../../processes/programs.ts';

const DIRECTORY = path.join(enginesDirectory, 'collector');
/** The binary that `prepareCollector` builds. */
export const collectorBinary = path.join(DIRECTORY, 'collector');
const buildTimeoutMs = 30 * 60_000;

/**
 * Builds a real OpenTelemetry Collector of the components that the tests need: two minutes of CPU and 1 GB. Needs Go, which compares
 * the modules with `go.sum`.
 */
export async function prepareCollector(report: Report = console.log): Promise<void> {
  const collector = {
    what: 'the Collector from the Go module proxy',
    mark: path.join(DIRECTORY, '.prepared'),
    files: readdirSync(source('manifests/collector')).map((name) => `manifests/collector/${name}`),
    versions: [PLATFORM],
    install: build,
  };
  await installOnceLocked('collector', collector, report);
}

async function build(): Promise<void> {
  if ((await findProgram('go')) === undefined)
    throw new StackError('not-installed', 'go, which builds the Collector, is missing: https://go.dev/dl');
  await runProgram('go', {
    args: ['build', '-mod=readonly', '-trimpath', '-ldflags=-s -w', '-o', collectorBinary, '.'],
    timeoutMs: buildTimeoutMs,
    cwd: source('manifests/collector'),
  });
}
