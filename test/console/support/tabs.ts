import { type Browser, type BrowserContext, type Page, chromium } from 'playwright-core';
import { TOKEN_KEY } from '../../../services/console/state/app/session.ts';
import { untilEndOfProcess } from '../../support/left-behind.ts';

export type Look = { readonly theme: 'light' | 'dark'; readonly width: number };

type Tab = { readonly page: Page; end(): Promise<void> };

/** The only tab of a browser profile of its own. */
export async function openProfile(look: Look): Promise<Tab> {
  const context = await (await openBrowser()).newContext();
  const page = await context.newPage();
  await show(page, look);
  return { page, end: () => context.close() };
}

type SignedIn = { readonly url: string; readonly token: string };

/**
 * A tab in which somebody has signed in. All such tabs belong to one profile, and a visit gets the tab of an earlier one: that
 * costs 0.3 s of CPU, a new profile or tab 0.9 s, most for the processes of the browser. A link that signs in would open the
 * overview, with many queries.
 */
export async function openTab({ url, token }: SignedIn, look: Look): Promise<Tab> {
  const page = findIdle() ?? (await newTab());
  await show(page, look);
  // The console reads the storage when it opens, so this is another document of its origin.
  await page.goto(`${url}/health`);
  await page.evaluate(signingIn(token));
  return {
    page,
    async end() {
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      await page.goto('about:blank');
      idle.push(page);
    },
  };
}

const HEIGHT = 900;

/** A page whose engine answers too late asks again after its deadline, also twice. */
const LONGEST_WAIT_MS = 120_000;

async function show(page: Page, { theme, width }: Look): Promise<void> {
  page.setDefaultTimeout(LONGEST_WAIT_MS);
  await page.setViewportSize({ width, height: HEIGHT });
  await page.emulateMedia({ colorScheme: theme });
}

/** Nothing of an earlier visit is left. */
function signingIn(token: string): string {
  return `localStorage.clear(); sessionStorage.clear(); sessionStorage.setItem('${TOKEN_KEY}', '${token}')`;
}

/** The files that run in this process share a browser, because its start takes 1.5 s of CPU, and the profile of those who signed in. */
let browser: Browser | undefined;
let profile: BrowserContext | undefined;
/** Tabs of this profile that no visit uses. */
const idle: Page[] = [];

function findIdle(): Page | undefined {
  for (let page = idle.pop(); page !== undefined; page = idle.pop()) if (!page.isClosed()) return page;
  return undefined;
}

async function newTab(): Promise<Page> {
  const current = await openBrowser();
  if (profile?.browser() !== current) profile = await current.newContext();
  return profile.newPage();
}

/** The browser that `make test` found or installed. Another one if it has ended by itself. */
async function openBrowser(): Promise<Browser> {
  if (browser?.isConnected() === true) return browser;
  const executablePath = process.env['FLAGMETER_CHROMIUM'] ?? '/usr/bin/chromium';
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  const started = await chromium.launch({ executablePath, args });
  untilEndOfProcess({ dispose: () => started.close() });
  browser = started;
  return started;
}
