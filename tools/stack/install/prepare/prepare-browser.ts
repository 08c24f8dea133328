import { type Report, StackError, findProgram, installPackagesOf } from '#tooling/stack';

/** The same engine without windows. Tests with it use a fifth less CPU than with the whole browser. */
const SHELL = 'chromium-headless-shell';
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome'] as const;

/** The path of a Chromium for the tests of the console. Installs it with apt if we are root; throws if there is none. */
export async function prepareBrowser(report: Report = console.log): Promise<string> {
  const found =
    (await findBrowser()) ?? (await install(SHELL, report)) ?? (await install('chromium', report));
  if (found !== undefined) return found;
  throw new StackError('not-installed', `${NAMES.join(' or ')} is missing: apt-get install ${SHELL}`);
}

/** Ubuntu has no package of the shell. */
async function install(program: typeof SHELL | 'chromium', report: Report): Promise<string | undefined> {
  await installPackagesOf([program], report);
  return findProgram(program);
}

async function findBrowser(): Promise<string | undefined> {
  const paths = await Promise.all(NAMES.map(findProgram));
  return paths.find((path) => path !== undefined);
}
