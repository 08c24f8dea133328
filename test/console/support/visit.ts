import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { type Browser, type Page, chromium } from 'playwright-core';
import { isNight } from '../../support/nightly.ts';
import { addWitness } from '../../support/witnesses.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** The browser that `make test` found or installed. */
export function openBrowser(): Promise<Browser> {
  const executablePath = process.env['FLAGMETER_CHROMIUM'] ?? '/usr/bin/chromium';
  const args = ['--no-sandbox', '--disable-gpu', '--disable-background-networking'];
  return chromium.launch({ executablePath, args });
}

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

export type VisitOptions = { readonly theme?: 'light' | 'dark'; readonly width?: number };

/** A browser profile of its own. */
export async function openVisit(
  browser: Browser,
  url: string,
  { theme = 'light', width = 1280 }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ colorScheme: theme, viewport: { width, height: 900 } });
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
    const { violations } = await page.evaluate<Findings>('axe.run()');
    const findings = violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => `${id}: ${html}`));
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
    close: () => context.close(),
  };
}

/** Of what a failed test says of its page. */
const MAX_LINES = 40;

/** Queries of a sign-in have codes. */
function withoutQuery(url: string): string {
  return url.replace(/\?.*/, '?...');
}

/** A visit of somebody who has signed in. The console knows who they are: until then it shows the links of every page. */
export async function openSignedIn(
  browser: Browser,
  { url, token }: Omit<Place, 'place'>,
  look?: VisitOptions,
): Promise<Visit> {
  const visit = await openVisit(browser, url, look);
  await visit.page.goto(linkOf(url, token));
  await visit.page.locator('nav[aria-busy=false]').waitFor();
  return visit;
}

type Place = { readonly url: string; readonly token: string; readonly place: string };

/** Signs in, opens a page such as `features/old-banner`, and acts there, which must be harmless. */
export async function visitAs(
  browser: Browser,
  { url, token, place }: Place,
  act: (visit: Visit) => Promise<void>,
): Promise<void> {
  const visit = await openSignedIn(browser, { url, token });
  await visit.page.goto(`${url}/#/${place}`);
  await act(visit);
  await visit.expectHarmlessAfterActs();
  await visit.close();
}

type Findings = {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
};

/** A link that signs in. */
export function linkOf(url: string, token: string): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
}
