import type { Page, Request, Response } from 'playwright-core';
import { eventually } from '../../support/eventually.ts';

/** A list that the page has read, and that has more items than the page got. */
export type CutList = { readonly path: string; readonly listed: number; readonly total: number | undefined };

export type Lists = {
  /** Waits until the page has read all it asks for. */
  settled(): Promise<void>;
  cut(): Promise<readonly CutList[]>;
  /** Forgets what other pages have read. */
  forget(): void;
  end(): void;
};

/** A page that asks for so few shows the first ones, and links to the others. */
const A_FEW = 20;

/** Follows the lists that a page reads of the admin API. */
export function watchLists(page: Page): Lists {
  const asked = new Set<Request>();
  let read: Response[] = [];
  const isOfApi = (request: Request) => /\/api\/admin\//.test(request.url());
  const onRequest = (request: Request) => {
    if (isOfApi(request)) asked.add(request);
  };
  const onEnd = (request: Request) => {
    asked.delete(request);
  };
  const onResponse = (response: Response) => {
    if (isOfApi(response.request()) && response.ok()) read.push(response);
  };
  page.on('request', onRequest).on('requestfinished', onEnd).on('requestfailed', onEnd);
  page.on('response', onResponse);
  return {
    async settled() {
      // The page of another place or zone, and the next page of a list, are asked for in the next frames.
      await eventually(
        async () => {
          await page.evaluate(
            'new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(resolve)))',
          );
          return asked.size + (await page.locator('main [aria-busy=true]').count());
        },
        (unfinished) => unfinished === 0,
      );
      await page.locator('main h1').waitFor();
    },
    async cut() {
      const lists = new Map<string, CutList & { readonly isCut: boolean }>();
      for (const response of read) {
        const { pathname, searchParams } = new URL(response.url());
        if (Number(searchParams.get('limit')) <= A_FEW && searchParams.has('limit')) continue;
        const isNextPage = searchParams.has('cursor');
        for (const name of ['cursor', 'limit']) searchParams.delete(name);
        const path = `${pathname}?${searchParams.toString()}`;
        for (const [member, list] of listsIn(await response.json())) {
          const key = `${path} ${member}`;
          const listed = list.listed + ((isNextPage ? lists.get(key)?.listed : 0) ?? 0);
          lists.set(key, { ...list, path: key, listed });
        }
      }
      return [...lists.values()].filter(({ isCut, listed, total }) =>
        total === undefined ? isCut : listed < total,
      );
    },
    forget() {
      read = [];
    },
    end() {
      page.off('request', onRequest).off('requestfinished', onEnd).off('requestfailed', onEnd);
      page.off('response', onResponse);
    },
  };
}

type Counted = { readonly total?: number; readonly items?: number };

/** The lists of records in an answer, and whether it says that there are more. */
function listsIn(body: unknown): [string, Omit<CutList, 'path'> & { readonly isCut: boolean }][] {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return [];
  const members = Object.entries(body as Record<string, unknown>);
  const totals = new Map(members);
  return members.flatMap(([member, list]) => {
    if (!Array.isArray(list) || member === 'totals' || typeof list[0] !== 'object') return [];
    const ofMember = totals.get(`total${member[0]?.toUpperCase() ?? ''}${member.slice(1)}`);
    const ofKinds = totals.get('totals') as readonly Counted[] | undefined;
    const sum = ofKinds?.reduce((all, { total, items }) => all + (items ?? total ?? 0), 0);
    const total = [ofMember, sum, totals.get('total')].find((one) => typeof one === 'number');
    return [[member, { listed: list.length, total, isCut: (totals.get('nextCursor') ?? null) !== null }]];
  });
}
