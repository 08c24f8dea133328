import { setTimeout as sleep } from 'node:timers/promises';
import type { Page } from 'playwright-core';

/** Runs in the page. Only what the picture shows counts. */
const FIND_FLAWS = `(() => {
  const isShown = (element) => {
    const { top, bottom, width, height } = element.getBoundingClientRect();
    return width > 1 && height > 1 && top < innerHeight && bottom > 0;
  };
  const shown = [...document.querySelectorAll('body *')].filter(isShown);
  const isCutOff = (element) =>
    getComputedStyle(element).textOverflow === 'ellipsis' && element.scrollWidth > element.clientWidth;
  const isUnfinished = (element) => [...element.childNodes].some(({ nodeType, data }) => nodeType === 3 && data.includes('…'));
  const isEmpty = (canvas) => {
    const { data } = canvas.getContext('2d').getImageData(0, 0, canvas.width, canvas.height);
    let coloured = 0;
    // Axes and grid are grey; series have a colour.
    for (let at = 0; at < data.length; at += 4) if (data[at + 3] > 0 && data[at + 2] - data[at] > 32) coloured += 1;
    return coloured < data.length / 4 / 200;
  };
  return [
    ...shown.filter((element) => element.matches('[aria-busy="true"]')).map(() => 'still being read'),
    ...shown.filter((element) => element.matches('[role="alert"]')).map(({ textContent }) => 'an error: ' + textContent),
    ...shown.filter(isCutOff).map(({ textContent }) => 'cut off: ' + textContent),
    ...shown.filter(isUnfinished).map(({ textContent }) => 'unfinished: ' + textContent),
    ...shown.filter((element) => element.matches('canvas') && isEmpty(element)).map(() => 'a chart without series'),
  ];
})()`;

const DEADLINE_MS = 30_000;
const PAUSE_MS = 200;

/**
 * What makes a picture useless for the documents: text that is cut off or still being read, and charts without data. Waits for
 * a page without flaws until the deadline. The policy of the page forbids the functions that waitForFunction would make.
 */
export async function flawsOf(page: Page): Promise<readonly string[]> {
  const deadline = Date.now() + DEADLINE_MS;
  for (;;) {
    const flaws = await page.evaluate<readonly string[]>(FIND_FLAWS);
    if (flaws.length === 0 || Date.now() > deadline) return flaws;
    await sleep(PAUSE_MS);
  }
}
