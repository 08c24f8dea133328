import { onlyMembers } from '#base/postgres';
import { applicationSchema } from '../../../usage/applications/schema.ts';
import { type Application, SELECT_APPLICATION } from '../../../usage/applications/store.ts';
import type { ApplicationsQuery } from '../schemas.ts';
import { type Conditions, type Listing, addSearch, createConditions } from './page.ts';

const NAME = { column: 'app_name', sql: 'p.app_name', kind: 'text' } as const;

/** Instances and places are few, so only the other members count towards the size of a page. */
export const applicationListing: Listing<Application & { size_bytes: number }, Application> = {
  select: `
    select
      ${SELECT_APPLICATION}, p.app_name, p.seen_at,
      octet_length(p.strategies::text) + coalesce(octet_length(p.description), 0) as size_bytes
    from client_applications as p`,
  sorts: { appName: [NAME], seenAt: [{ column: 'seen_at', sql: 'p.seen_at', kind: 'time' }, NAME] },
  toItem: (row) => onlyMembers(applicationSchema, row),
};

export function applicationsThat({
  search,
  appName,
  project,
  environment,
  seenSince,
  notSeenSince,
}: ApplicationsQuery): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  if (search !== undefined) addSearch(conditions, ['p.app_name'], search);
  if (appName !== undefined) where(`p.app_name = ${put(appName)}`);
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
