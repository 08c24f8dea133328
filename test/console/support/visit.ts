import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import type { ConsoleMessage, Page, Request, Response } from 'playwright-core';
import { isNight } from '../../support/nightly.ts';
import { untilEndOfFile } from '../../support/left-behind.ts';
import { addWitness } from '../../support/stack/witnesses.ts';
import { type Look, openProfile, openTab } from './tabs.ts';

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

export type VisitOptions = Partial<Look> & {
  /** Of somebody who has signed in with it. */
  readonly token?: string;
};

/** A page without the console yet: in a browser profile of its own, unless somebody has signed in. */
export async function openVisit(
  url: string,
  { theme = 'light', width = 1280, token }: VisitOptions = {},
): Promise<Visit> {
  const look = { theme, width };
  const tab = await (token === undefined ? openProfile(look) : openTab({ url, token }, look));
  const { page } = tab;
  const watch = watchPage(page, url);
  const visit = untilEndOfFile({
    dispose() {
      watch.end();
      return tab.end();
    },
  });
  const allowed: RegExp[] = [];
  const expectQuiet = (): void => {
    const reported = watch.problems().filter((problem) => !allowed.some((message) => message.test(problem)));
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
    close: () => visit.dispose(),
  };
}

type Watch = { problems(): string[]; end(): void };

/** Collects what a page reports until the end of a visit. A failed test also says what the page got. */
function watchPage(page: Page, url: string): Watch {
  const reported: { readonly problem: string; readonly source?: string }[] = [];
  const answers: string[] = [];
  const lateReads = new Set<string>();
  const unanswered = new Set<Request>();
  let hasEnded = false;
  // The browser may report an answer before the test hears of it.
  const problems = (): string[] =>
    reported.flatMap(({ problem, source }) =>
      source !== undefined && lateReads.has(source) && LATE.test(problem) ? [] : [problem],
    );
  const onResponse = (response: Response): void => {
    const isOfInterest = response.status() >= 400 || response.request().isNavigationRequest();
    if (isOfInterest) answers.push(`${response.status()} ${withoutQuery(response.url())}`);
    if (isLateRead(response)) lateReads.add(response.url());
  };
  const onMessage = (message: ConsoleMessage): void => {
    const { url: source } = message.location();
    reported.push({ problem: `${message.type()}: ${message.text()} ${withoutQuery(source)}`, source });
  };
  const onError = (error: Error): void => {
    reported.push({ problem: `thrown: ${error.message}` });
  };
  const onRequest = (request: Request): void => {
    unanswered.add(request);
    if (!request.url().startsWith(`${url}/`) && !request.url().startsWith('data:'))
      reported.push({ problem: `foreign request: ${request.url()}` });
  };
  const onEnd = (request: Request): void => {
    unanswered.delete(request);
  };
  page.on('response', onResponse).on('console', onMessage).on('pageerror', onError).on('request', onRequest);
  page.on('requestfinished', onEnd).on('requestfailed', onEnd);
  addWitness({
    async tell() {
      const waiting = Array.from(unanswered, (request) => withoutQuery(request.url()));
      const said = ['The page got', ...answers, 'and reported', ...problems(), 'and waits for', ...waiting];
      return [...said.slice(-MAX_LINES), `and shows at ${page.url()}`, await textOf(page)].join('\n  ');
    },
    isOver: () => hasEnded,
  });
  return {
    problems,
    end() {
      hasEnded = true;
      page.off('response', onResponse).off('console', onMessage);
      page.off('pageerror', onError).off('request', onRequest);
      page.off('requestfinished', onEnd).off('requestfailed', onEnd);
    },
  };
}

async function textOf(page: Page): Promise<string> {
  try {
    const text = await page.locator('body').innerText({ timeout: 2000 });
    return text.replaceAll(/\s+/g, ' ').slice(0, MAX_TEXT);
  } catch {
    return 'nothing that can be read';
  }
}

const MAX_TEXT = 2000;

const LATE = /status of 503/;

/**
 * On a busy machine an engine may answer too late. The page reads again by itself, and what a test waits for would be missing if it did
 * not.
 */
function isLateRead(response: Response): boolean {
  const isRead = response.request().method() === 'GET';
  return isRead && response.status() === 503 && response.headers()['retry-after'] !== undefined;
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

type SignedIn = { readonly url: string; readonly token: string; readonly place: string };

/**
 * A visit of somebody who has signed in and opens a page such as `features/old-banner`. The console knows who they are: until then
 * it shows the links of every page.
 */
export async function openSignedIn(
  { url, token, place }: SignedIn,
  look: Omit<VisitOptions, 'token'> = {},
): Promise<Visit> {
  const visit = await openVisit(url, { ...look, token });
  await visit.page.goto(`${url}/#/${place}`);
  await visit.page.locator('nav[aria-busy=false]').waitFor();
  return visit;
}

/** Opens a page and acts there, which must be harmless. */
export async function visitAs(signedIn: SignedIn, act: (visit: Visit) => Promise<void>): Promise<void> {
  const visit = await openSignedIn(signedIn);
  await act(visit);
  await visit.expectHarmlessAfterActs();
  await visit.close();
}

/** A link that signs in. */
export function linkOf(url: string, token: string): string {
  return `${url}/#token=${encodeURIComponent(token)}`;
}
