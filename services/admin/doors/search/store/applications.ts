import {
  APPLICATION_DETAILS,
  type Application,
  type ApplicationRow,
  toApplication,
} from '../../../usage/applications/store.ts';
import type { ApplicationsQuery } from '../schemas.ts';
import { type Conditions, type Listing, containsText, createConditions, patternOf } from './page.ts';

const NAME = { column: 'app_name', sql: 'p.app_name', kind: 'text' } as const;

/** Instances and places are few, so only the other members count towards the size of a page. */
export const applicationListing: Listing<ApplicationRow & { size_bytes: number }, Application> = {
  select: `
    select
      p.app_name, p.created_at, p.seen_at, p.strategies, p.description, p.url, p.color, p.icon,
      octet_length(p.strategies::text) + coalesce(octet_length(p.description), 0) as size_bytes,
      ${APPLICATION_DETAILS}
    from client_applications as p`,
  sorts: { appName: [NAME], seenAt: [{ column: 'seen_at', sql: 'p.seen_at', kind: 'time' }, NAME] },
  toItem: toApplication,
};

export function applicationsThat({
  search,
  project,
  environment,
  seenSince,
  notSeenSince,
}: ApplicationsQuery): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  if (search !== undefined) where(containsText(['p.app_name'], put(patternOf(search))));
  const places = [
    ...(project === undefined ? [] : [`u.project = ${put(project)}`]),
    ...(environment === undefined ? [] : [`u.environment = ${put(environment)}`]),
  ];
  if (places.length > 0)
    where(`exists (
      select
      from client_applications_usage as u
      where u.app_name = p.app_name
        and ${places.join(' and ')}
    )`);
  if (seenSince !== undefined) where(`p.seen_at >= ${put(seenSince)}::timestamptz`);
  if (notSeenSince !== undefined) where(`p.seen_at < ${put(notSeenSince)}::timestamptz`);
  return conditions;
}
