import { expect } from 'chai';
import type { Page } from 'playwright-core';

/** Every page is shown in these: half an hour and a quarter away from the hours of UTC. */
const EVERYWHERE = ['America/St_Johns', 'Asia/Kathmandu'];
/** Each of these meets some pages: both ends of the world, both kinds of summer, and hours that no other place has. */
const SOMEWHERE = [
  'America/New_York',
  'America/Sao_Paulo',
  'America/Los_Angeles',
  'Pacific/Pago_Pago',
  'Pacific/Kiritimati',
  'Pacific/Chatham',
  'Australia/Lord_Howe',
  'Australia/Eucla',
  'Asia/Kolkata',
  'Asia/Tehran',
  'Africa/Casablanca',
  'Europe/Dublin',
  'Europe/Berlin',
  'Antarctica/Troll',
];

/** The zones of a page, by its place in the list of pages. */
export function zonesAt(place: number): readonly string[] {
  return [...EVERYWHERE, SOMEWHERE[place % SOMEWHERE.length] ?? 'UTC'];
}

/** Whether all times of a page are those of the zone. */
export async function expectTimes(page: Page, timeZone: string): Promise<void> {
  const format = new Intl.DateTimeFormat('sv-SE', { timeZone, dateStyle: 'short', timeStyle: 'short' });
  const shown = await page.evaluate<[string, string][]>(
    "[...document.querySelectorAll('main time')].map((time) => [time.dateTime, time.textContent])",
  );
  for (const [at, text] of shown)
    if (/^\d{4}-/.test(text)) expect(text, `${at} in ${timeZone}`).to.equal(format.format(new Date(at)));
}
