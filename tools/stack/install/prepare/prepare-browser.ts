import { type Report, findProgram } from '#tooling/stack';
import { prepareUnpacked } from './prepare-unpacked.ts';

/** The same engine without windows. Tests with it use a fifth less CPU than with the whole browser. */
const SHELL = 'chromium-headless-shell';
const NAMES = [SHELL, 'chromium', 'chromium-browser', 'google-chrome'] as const;

/** The path of a Chromium for the tests of the console: that of the machine, or one from Debian. Throws if there is none. */
export async function prepareBrowser(report: Report = console.log): Promise<string> {
  const paths = await Promise.all(NAMES.map(findProgram));
  return paths.find((path) => path !== undefined) ?? (await prepareUnpacked(SHELL, report));
}
