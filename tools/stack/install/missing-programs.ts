import { StackError } from '../stack-error.ts';
import { findProgram, runProgram } from '../processes/programs.ts';

const oldestJava = 17;

/**
 * Every program of the stack and of its tests that Debian packages, with the smallest package that contains it and starts no service.
 */
const packageOf = {
  java: 'default-jre-headless',
  mvn: 'maven',
  redis: 'redis-tools',
  chromium: 'chromium',
  'chromium-headless-shell': 'chromium-headless-shell',
} as const;

export type Program = keyof typeof packageOf;

/** Installs the packages of these programs without asking, if we are root and have apt. */
export async function installPackagesOf(
  programs: readonly Program[],
  report: (line: string) => void,
): Promise<void> {
  if (programs.length === 0 || !(await mayUseApt())) return;
  const packages = programs.map((program) => packageOf[program]);
  report(`installing ${packages.join(', ')} with apt-get`);
  try {
    await aptGet(['install', '-y', '--no-install-recommends', ...packages]);
  } catch {
    // The package lists of a fresh machine are empty or old. Programs that are still missing are reported when they
    // are needed.
    await aptGet(['update']).catch(() => undefined);
    await aptGet(['install', '-y', '--no-install-recommends', ...packages]).catch(() => undefined);
  }
}

/** Whether we are root and have apt. */
export async function mayUseApt(): Promise<boolean> {
  return process.getuid?.() === 0 && (await findProgram('apt-get')) !== undefined;
}

export function missing(program: Program): StackError {
  const debianPackage = program === 'redis' ? 'redis-server' : packageOf[program];
  return new StackError(
    'not-installed',
    `${program} is missing: apt-get install ${debianPackage}, ${dockerWay}`,
  );
}

/** The version that Java reports. Throws if it is too old for Kafka. */
export async function readJavaVersion(): Promise<string> {
  const printed = await runProgram('java', { args: ['-version'], timeoutMs: 20_000 });
  const major = Number(/version "(\d+)/.exec(printed)?.[1]);
  if (major >= oldestJava) return printed;
  const found = printed.split('\n')[0] ?? '';
  const sentence = `Kafka needs Java ${oldestJava} or newer, not ${found}: apt-get install openjdk-17-jre-headless, ${dockerWay}`;
  throw new StackError('not-installed', sentence);
}

const dockerWay = 'or use Docker: docker compose -f infra/compose.yaml up';

async function aptGet(args: readonly string[]): Promise<void> {
  await runProgram('env', {
    args: ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...args],
    timeoutMs: 5 * 60_000,
  });
}
