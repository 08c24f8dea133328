import { expect } from 'chai';
import type { Page } from 'playwright-core';
import { formatCount } from '../../../services/console/state/format.ts';
import type { CutList } from './lists.ts';

type Shown = {
  readonly text: string;
  /** Buttons to the other parts of a list. */
  readonly hasOtherParts: boolean;
  /** A link to the whole of what a part of the page begins. */
  readonly hasWhole: boolean;
};

const SHOWN = `({
  text: document.querySelector('main').innerText,
  hasOtherParts: document.querySelector('main nav button') !== null,
  hasWhole: document.querySelector('main section > header > a') !== null,
})`;

/** Whether a page says of each list that it is cut, and takes no number of listed items for that of all. */
export async function expectHonest(page: Page, lists: readonly CutList[]): Promise<void> {
  const shown = await page.evaluate<Shown>(SHOWN);
  expect(lists.filter((list) => !isTold(shown, list))).to.deep.equal([]);
  expect(lists.flatMap((list) => claimsIn(shown, list))).to.deep.equal([]);
}

function isTold({ text, hasOtherParts, hasWhole }: Shown, { listed, total }: CutList): boolean {
  if (total !== undefined && [total, total - listed].some((count) => text.includes(formatCount(count))))
    return true;
  if (new RegExp(`(first|least|newest) ${formatCount(listed)}\\b`, 'i').test(text)) return true;
  return hasWhole || (total === undefined && (hasOtherParts || text.includes('and others')));
}

/** "1,000 flags", but not "the first 1,000 flags" nor "1,000 flags on this page". */
function claimsIn({ text }: Shown, { path, listed }: CutList): string[] {
  const claims = text.matchAll(new RegExp(`.{0,30}(?<![\\w,-])${formatCount(listed)} [a-z].{0,40}`, 'gi'));
  return [...claims].flatMap(([claim]) =>
    /(first|least|newest|than|of|per|for) [\d,]+ |[\d,]+ of |on this page/i.test(claim)
      ? []
      : [`${path}: ${claim}`],
  );
}
