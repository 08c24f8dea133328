import type { Page } from 'playwright-core';

/** Submits the form of a dialog after its session has ended: the page reads by itself, so it may have asked for the sign-in before. */
export async function submitHidden(page: Page): Promise<void> {
  await page.evaluate("document.querySelector('dialog:not(.again) form').requestSubmit()");
}
