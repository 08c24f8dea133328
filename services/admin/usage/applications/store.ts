import { type Postgres, isoTime, onlyMembers, selectMembers } from '#base/postgres';
import { cutPage, decodeCursor } from '../../http/requests/cursor.ts';
import { type Applications, applicationSchema } from './schema.ts';

export type Application = Applications['applications'][number];

export type ApplicationsPage = { readonly limit: number; readonly cursor?: string | undefined };

const SORT = 'appName';

export type ApplicationsStore = ReturnType<typeof createApplicationsReader>;

/** Reads the applications that relays reported, by name, with their instances and the places where they are used. */
export function createApplicationsReader(db: Postgres) {
  return {
    async list({ limit, cursor }: ApplicationsPage): Promise<Applications> {
      const [after] = cursor === undefined ? [] : decodeCursor(cursor, SORT, ['text']);
      const values = [limit + 1, after];
      const { rows } = await db.query<(Application | { appName: null }) & { total: number }>(LIST, values);
      const found = rows.flatMap((row) => (row.appName === null ? [] : onlyMembers(applicationSchema, row)));
      const { items, nextCursor } = cutPage(found, { limit, sort: SORT }, ({ appName }) => [appName]);
      return { total: rows[0]?.total ?? 0, nextCursor, applications: items };
    },
  };
}

/** The maximum number of instances, and of places, listed for an application. The latest ones are listed. */
const MAX_LISTED = 20;

/** Of the table `p`. */
export const SELECT_APPLICATION = selectMembers(applicationSchema, {
  table: 'p',
  sql: {
    usage: `(
    select coalesce(json_agg(json_build_object('project', u.project, 'environments', u.names) order by u.project), '[]')
    from (
      select project, json_agg(environment order by environment) as names
      from (
        select project, environment
        from client_applications_usage
        where app_name = p.app_name
        order by seen_at desc, project, environment
        limit ${MAX_LISTED}
      ) as latest
      group by project
    ) as u
  )`,
    totalUsage: '(select count(*)::int from client_applications_usage where app_name = p.app_name)',
    instances: `(
    select coalesce(
      json_agg(
        json_build_object(
          'instanceId', i.instance_id, 'environment', i.environment, 'sdkVersion', i.sdk_version,
          'sdkType', i.sdk_type, 'platformName', i.platform_name, 'platformVersion', i.platform_version,
          'yggdrasilVersion', i.yggdrasil_version, 'connectVia', i.connect_via, 'lastSeen', ${isoTime('i.last_seen')}
        )
      ),
      '[]'
    )
    from (
      select
        instance_id, environment, sdk_version, sdk_type, platform_name, platform_version, yggdrasil_version,
        connect_via, last_seen
      from client_instances
      where app_name = p.app_name
      order by last_seen desc, instance_id
      limit ${MAX_LISTED}
    ) as i
  )`,
    totalInstances: '(select count(*)::int from client_instances where app_name = p.app_name)',
  },
});

// One statement reads the page and the count, so that both belong to the same moment. A page beyond the last one is a single
// row with only the count.
const LIST = `
  with page as (
    select app_name, created_at, seen_at, strategies, description, url, color, icon
    from client_applications
    where $2::text is null or app_name > $2
    order by app_name
    limit $1
  )
  select ${SELECT_APPLICATION}, counted.total
  from (select count(*)::int as total from client_applications) as counted
  left join page as p on true
  order by p.app_name`;
