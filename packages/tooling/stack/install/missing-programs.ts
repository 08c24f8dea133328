import { findProgram, runProgram } from '../processes/programs.ts';

/**
 * Every program of the stack and of its tests that Debian packages, with the smallest package that contains it and starts no service.
 */
const packageOf = {
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
async function mayUseApt(): Promise<boolean> {
  return process.getuid?.() === 0 && (await findProgram('apt-get')) !== undefined;
}

export const dockerWay = 'or use Docker: docker compose -f infra/compose.yaml up --build';

async function aptGet(args: readonly string[]): Promise<void> {
  await runProgram('env', {
    args: ['DEBIAN_FRONTEND=noninteractive', 'apt-get', '-q', ...args],
    timeoutMs: 5 * 60_000,
  });
}
