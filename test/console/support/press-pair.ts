import type { Page } from 'playwright-core';

/** Presses two keys, the second soon enough after the first: sent together, they arrive together. */
export async function pressPair(page: Page, first: string, second: string): Promise<void> {
  await Promise.all([page.keyboard.press(first), page.keyboard.press(second)]);
}
