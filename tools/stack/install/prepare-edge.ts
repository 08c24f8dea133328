import path from 'node:path';
import { enginesDirectory } from '../layout.ts';
import { StackError } from '../stack-error.ts';
import { withLock } from './lock.ts';
import { type Report, announced, once } from './prepare.ts';
import { findProgram, runProgram } from './programs.ts';
import { stampOf } from './stamp.ts';

const VERSION = '20.1.0';
const DIRECTORY = path.join(enginesDirectory, 'edge');
/** The binary that `prepareEdge` builds. */
export const edgeBinary = path.join(DIRECTORY, 'bin/unleash-edge');
const buildTimeoutMs = 60 * 60_000;

/** Builds a real Unleash Edge with the versions of its own lock file: about ten minutes and 3 GB on two cores. Needs Rust. */
export async function prepareEdge(report: Report = console.log): Promise<void> {
  const stamp = stampOf(path.join(DIRECTORY, '.prepared'), {
    files: [],
    texts: [VERSION, `${process.platform}-${process.arch}`],
  });
  await withLock(`${DIRECTORY}.lock`, () =>
    once(stamp, () => announced(report, `Edge ${VERSION} from crates.io`, buildEdge)),
  );
}

async function buildEdge(): Promise<void> {
  if ((await findProgram('cargo')) === undefined)
    throw new StackError('not-installed', 'cargo, which builds Edge, is missing: https://rustup.rs');
  const features = ['--no-default-features', '--debug']; // without S3, and compiled faster
  await runProgram('cargo', {
    args: ['install', 'unleash-edge', '--version', VERSION, '--locked', ...features, '--root', DIRECTORY],
    timeoutMs: buildTimeoutMs,
  });
}
