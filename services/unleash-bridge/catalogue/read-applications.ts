import { APPLICATIONS_PAGE } from '#unleash/client';
import { describeApplications } from './store/applications.ts';
import type { SyncParts } from './sync-parts.ts';

const MAX_PAGES = 100;

/**
 * Copies description, address, colour and icon of applications, which people enter in Unleash. Applications themselves come from
 * relays and SDKs. Unleash writes no event about them.
 */
export async function readApplications({ reader, db, signal }: SyncParts): Promise<void> {
  for (let page = 0; page < MAX_PAGES && !signal.aborted; page += 1) {
    const applications = await reader.applications(page * APPLICATIONS_PAGE);
    await describeApplications(db, applications);
    if (applications.length < APPLICATIONS_PAGE) return;
  }
}
