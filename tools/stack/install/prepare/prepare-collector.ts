import { readdirSync } from 'node:fs';
import path from 'node:path';
import {
  type Report,
  PLATFORM,
  StackError,
  enginesDirectory,
  findProgram,
  installOnceLocked,
  runProgram,
} from '#tooling/stack';
import { manifest } from '../../manifests.ts';

const DIRECTORY = path.join(enginesDirectory, 'collector');
const MODULE = manifest('collector');
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
    files: readdirSync(MODULE).map((name) => path.join(MODULE, name)),
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
    cwd: MODULE,
  });
}
