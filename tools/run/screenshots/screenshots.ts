// `make screenshots`: screenshots.ts [--directory .local/screenshots] [--images docs/images] [--all]
import { execFile } from 'node:child_process';
import { mkdir } from 'node:fs/promises';
import path from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { type Browser, type Page, chromium } from 'playwright-core';
import { ENTRIES } from '../../../services/console/pages/app/entries.ts';
import { buildConsole } from '../../console/build.ts';
import { cleanStack, downStack, freePort, prepareBrowser, upStack } from '../../stack/index.ts';
import { PROGRAM } from '../compile.ts';
import { createSecrets, launchFlagmeter, runAtTerminal, unlessAborted } from '#tooling/stack';
import { connectOthers } from './connect-others.ts';
import { flawsOf } from './flaws.ts';
import { spreadBlocks } from './spread-blocks.ts';
import { sendTraffic } from './traffic.ts';
import { FROM_SOURCES } from '../from-sources.ts';

const ROOT = path.resolve(import.meta.dirname, '../../..');
const { values } = parseArgs({
  options: {
    directory: { type: 'string', default: path.join(ROOT, '.local/screenshots') },
    images: { type: 'string', default: path.join(ROOT, 'docs/images') },
    all: { type: 'boolean', default: false },
  },
});
const directory = path.resolve(values.directory);
const images = path.resolve(values.images);
const logs = path.join(directory, 'logs');

/** The path of each page in the console, by the name of its picture. */
const PATHS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(ENTRIES.map(({ path: page }) => [page === '' ? 'overview' : page, `/${page}`])),
  feature: '/features/checkout-one-page?window=30d',
  code: '/features/checkout-one-page?window=30d',
  impact: '/features/product-review-summary?window=30d',
  openfeature: '/features/loyalty-points?window=7d',
};

/** The heading at the top of a picture that does not begin with the page. */
const HEADINGS: Readonly<Record<string, string>> = { code: 'Code', impact: 'Impact' };

type Look = { readonly theme: 'light' | 'dark'; readonly width: number };

/** The looks in the documentation. `--all` takes every page in every theme and width, to be looked at. */
const DOCUMENTED: readonly Look[] = [{ theme: 'light', width: 1400 }];
const EVERY: readonly Look[] = (['light', 'dark'] as const).flatMap((theme) =>
  [360, 1280, 2560].map((width) => ({ theme, width })),
);
const HEIGHT = 900;
const BROWSER_ARGS = ['--no-sandbox', '--disable-gpu'];
/** By default the driver of the browser ends this program at a signal, before it can stop the engines. */
const UNTIL_CLOSED = { handleSIGINT: false, handleSIGTERM: false, handleSIGHUP: false } as const;
/** So that the throughput per minute has a few steps. */
const TRAFFIC_MS = 125_000;

await runAtTerminal(logs, takeScreenshots);

/** Starts an empty flagmeter with the sample, and writes one picture of each page. */
async function takeScreenshots(interrupted: AbortSignal): Promise<number> {
  const executablePath = await prepareBrowser();
  try {
    await cleanStack(directory);
    const [addresses] = await Promise.all([
      upStack({ directory, freePorts: true }),
      buildConsole(path.join(ROOT, 'dist/console')),
    ]);
    const tokens = createSecrets();
    const env = {
      PATH: process.env['PATH'],
      ...addresses,
      ...tokens,
      NOTIFICATIONS_TO_LOOPBACK: 'true',
      PORT: String(await freePort()),
    };
    const flagmeter = launchFlagmeter({ program: PROGRAM, env, logFile: path.join(logs, 'flagmeter.log') });
    const browser = await chromium.launch({ executablePath, args: BROWSER_ARGS, ...UNTIL_CLOSED });
    const photographAll = async (): Promise<void> => {
      const { url, adminUrl = url } = await flagmeter.ready;
      await fillWithSample(env);
      const clientTokens = tokens.INIT_CLIENT_API_TOKENS;
      await sendTraffic({ url, clientTokens, durationMs: TRAFFIC_MS, interrupted });
      await spreadBlocks(env);
      const token = tokens.INIT_ADMIN_API_TOKENS;
      await connectOthers({ url: adminUrl, token });
      await photograph(browser, adminUrl, token);
    };
    try {
      await unlessAborted(photographAll(), interrupted);
    } finally {
      await browser.close();
      await flagmeter.stop();
    }
  } catch (error) {
    if (!interrupted.aborted) throw error;
  } finally {
    await downStack(directory);
  }
  return interrupted.aborted ? 130 : 0;
}

async function fillWithSample(env: NodeJS.ProcessEnv): Promise<void> {
  const args = [...FROM_SOURCES, 'services/cli/main.ts', 'sample'];
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, env });
}

async function photograph(browser: Browser, url: string, token: string): Promise<void> {
  await mkdir(images, { recursive: true });
  const problems: string[] = [];
  for (const look of values.all ? EVERY : DOCUMENTED) {
    const { theme, width } = look;
    const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: HEIGHT } });
    // Signed in from the start, because a page that is left while it reads delays the next one.
    await context.addInitScript(`sessionStorage.setItem('flagmeter.token', ${JSON.stringify(token)})`);
    for (const [name, address] of Object.entries(PATHS)) {
      const page = await context.newPage();
      await page.goto(`${url}/#${address}`);
      await page.locator('h1').waitFor();
      const heading = HEADINGS[name];
      if (heading !== undefined) await scrollTo(page, heading);
      const flaws = await flawsOf(page);
      await page.evaluate('document.fonts.ready');
      const file = values.all ? `${name}-${theme}-${width}.png` : `${name}.png`;
      await page.screenshot({ path: path.join(images, file), animations: 'disabled' });
      console.log(file);
      problems.push(...flaws.map((flaw) => `${file}: ${flaw}`));
      await page.close();
    }
    await context.close();
  }
  // A narrow screen may cut off long names.
  if (!values.all && problems.length > 0) throw new Error(`pictures with flaws:\n${problems.join('\n')}`);
}

/** Sections above it may still grow. */
async function scrollTo(page: Page, heading: string): Promise<void> {
  await flawsOf(page);
  await page.evaluate(
    `[...document.querySelectorAll('h2')].find(({ textContent }) => textContent === '${heading}').scrollIntoView()`,
  );
}
