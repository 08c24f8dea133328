import path from 'node:path';
import {
  type Report,
  LONGEST_INSTALLATION_MS,
  PLATFORM,
  StackError,
  enginesDirectory,
  findProgram,
  installOnceLocked,
  runProgram,
} from '#tooling/stack';

const VERSION = '20.1.0';
const DIRECTORY = path.join(enginesDirectory, 'edge');
/** The binary that `prepareEdge` builds. */
export const edgeBinary = path.join(DIRECTORY, 'bin/unleash-edge');

/** Builds a real Unleash Edge with the versions of its own lock file: ten to twenty minutes and 3 GB on two cores. Needs Rust. */
export async function prepareEdge(report: Report = console.log): Promise<void> {
  const edge = {
    what: `Edge ${VERSION} from crates.io`,
    mark: path.join(DIRECTORY, '.prepared'),
    files: [],
    versions: [VERSION, PLATFORM],
    install: buildEdge,
  };
  await installOnceLocked('edge', edge, report);
}

async function buildEdge(): Promise<void> {
  if ((await findProgram('cargo')) === undefined)
    throw new StackError('not-installed', 'cargo, which builds Edge, is missing: https://rustup.rs');
  const features = ['--no-default-features', '--debug']; // without S3, and compiled faster
  await runProgram('cargo', {
    args: ['install', 'unleash-edge', '--version', VERSION, '--locked', ...features, '--root', DIRECTORY],
    timeoutMs: LONGEST_INSTALLATION_MS,
  });
}
