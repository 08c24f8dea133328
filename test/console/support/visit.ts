import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, type Page, chromium } from 'playwright-core';
import { TOKEN_KEY } from '../../../services/console/state/app/session.ts';
import { isNight } from '../../support/nightly.ts';
import { untilEndOfFile, untilEndOfProcess } from '../../support/processes/left-behind.ts';
import { addWitness } from '../../support/witnesses.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

export type Visit = {
  readonly page: Page;
  /** Fails if the console logged anything, threw, broke its policy, or asked another origin. */
  expectQuiet(): void;
  /** Also fails for findings of axe-core, which takes a second. For a page as it opens. */
  expectHarmless(): Promise<void>;
  /** The same by night. By day axe-core sees only the pages as they open. */
  expectHarmlessAfterActs(): Promise<void>;
  /** The messages that this test provokes, for example the 401 of a revoked token. */
  allow(message: RegExp): void;
  close(): Promise<void>;
};

export type VisitOptions = {
  readonly theme?: 'light' | 'dark';
  readonly width?: number;
  /** Of somebody who has signed in with it. */
  readonly token?: string;
};

/** A browser profile of its own, without a page of the console yet. */
export async function openVisit(
  url: string,
  { theme = 'light', width = 1280, token }: VisitOptions = {},
): Promise<Visit> {
  const look = { colorScheme: theme, viewport: { width, height: 900 } };
  const context = await (await openBrowser()).newContext(look);
  const profile = untilEndOfFile({ dispose: () => context.close() });
  if (token !== undefined) await context.addInitScript(signingIn(url, token));
  const page = await context.newPage();
  const problems: string[] = [];
  const allowed: RegExp[] = [];
  const answers: string[] = [];
  page.on('response', (response) => {
    const isOfInterest = response.status() >= 400 || response.request().isNavigationRequest();
    if (isOfInterest) answers.push(`${response.status()} ${withoutQuery(response.url())}`);
  });
  addWitness({
    tell: () =>
      Promise.resolve(
        ['The page got', ...answers, 'and reported', ...problems].slice(-MAX_LINES).join('\n  '),
      ),
    isOver: () => page.isClosed(),
  });
  page.on('console', (message) => problems.push(`${message.type()}: ${message.text()}`));
  page.on('pageerror', (error) => problems.push(`thrown: ${error.message}`));
  page.on('request', (request) => {
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      problems.push(`foreign request: ${request.url()}`);
  });
  const expectQuiet = (): void => {
    const reported = problems.filter((problem) => !allowed.some((message) => message.test(problem)));
    expect(reported).to.deep.equal([]);
  };
  const expectHarmless = async (): Promise<void> => {
    // Through the debugger, which the policy of the page does not bind.
    await page.evaluate(AXE);
    const findings = await page.evaluate<string[]>(FINDINGS);
    expectQuiet();
    expect(findings).to.deep.equal([]);
  };
  return {
    page,
    allow: (message) => allowed.push(message),
    expectQuiet,
    expectHarmless,
    async expectHarmlessAfterActs() {
      if (isNight()) await expectHarmless();
      else expectQuiet();
    },
    close: () => profile.dispose(),
  };
}

/** The files that run in this process share a browser, because its start takes 1.5 s of CPU. */
let browser: Browser | undefined;

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

/** axe-core describes each node of other results, which takes most of its time. */
const FINDINGS = `axe.run({ resultTypes: ['violations'] })
  .then(({ violations }) => violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`;

/** Of what a failed test says of its page. */
const MAX_LINES = 40;

/** Queries of a sign-in have codes. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*/, '?...');
}

type Place = { readonly url: string; readonly token: string; readonly place: string };

/**
 * A visit of somebody who has signed in and opens a page such as `features/old-banner`. The console knows who they are: until then
 * it shows the links of every page.
 */
export async function openSignedIn(
  { url, token, place }: Place,
  look: Omit<VisitOptions, 'token'> = {},
): Promise<Visit> {
  const visit = await openVisit(url, { ...look, token });
  await visit.page.goto(`${url}/#/${place}`);
  await visit.page.locator('nav[aria-busy=false]').waitFor();
  return visit;
}

/** Opens a page and acts there, which must be harmless. */
export async function visitAs(place: Place, act: (visit: Visit) => Promise<void>): Promise<void> {
  const visit = await openSignedIn(place);
  await act(visit);
  await visit.expectHarmlessAfterActs();
  await visit.close();
}

/** A script that signs in before any page of the console opens. A link would open the overview, with many queries. */
function signingIn(url: string, token: string): string {
  return `if (origin === '${url}') sessionStorage.setItem('${TOKEN_KEY}', '${token}')`;
}

/** A link that signs in. */
export function linkOf(url: string, token: string): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
}
