import { StackError } from '../stack-error.ts';
import { installPackagesOf } from './missing-programs.ts';
import type { Report } from './prepare.ts';
import { findProgram } from './programs.ts';

const NAMES = ['chromium', 'chromium-browser', 'google-chrome'] as const;

/** The path of a Chromium for the tests of the console. Installs it with apt if we are root; throws if there is none. */
export async function prepareBrowser(report: Report = console.log): Promise<string> {
  const found = (await findBrowser()) ?? (await installBrowser(report));
  if (found !== undefined) return found;
  throw new StackError('not-installed', `${NAMES.join(' or ')} is missing: apt-get install chromium`);
}

async function installBrowser(report: Report): Promise<string | undefined> {
  await installPackagesOf(['chromium'], report);
  return findBrowser();
}

async function findBrowser(): Promise<string | undefined> {
  const paths = await Promise.all(NAMES.map(findProgram));
  return paths.find((path) => path !== undefined);
}
