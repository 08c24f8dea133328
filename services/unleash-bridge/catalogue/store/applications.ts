import type { Postgres } from '#base/postgres';
import type { UnleashApplication } from '#unleash/client';

/** Stores what people wrote in Unleash about applications that were reported here. */
export async function describeApplications(
  db: Postgres,
  applications: readonly UnleashApplication[],
): Promise<void> {
  const rows = applications.map(({ appName, description, url, color, icon }) => ({
    app_name: appName,
    description,
    url,
    color,
    icon,
  }));
  await db.query(
    `update client_applications as known
     set description = row.description, url = row.url, color = row.color, icon = row.icon
     from jsonb_to_recordset($1) as row (app_name text, description text, url text, color text, icon text)
     where known.app_name = row.app_name
       and (known.description, known.url, known.color, known.icon)
         is distinct from (row.description, row.url, row.color, row.icon)`,
    [JSON.stringify(rows)],
  );
}
