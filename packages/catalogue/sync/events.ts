import type { ClickHouse } from '#clickhouse';
import type { Postgres } from '#postgres';
import { copyAppended } from './append-only.ts';
import { textOfTime } from './rows.ts';

/** Events of users, tokens, applications and access are not for analysts: their data has e-mail addresses and names of tokens. */
const TYPES =
  '^(features?|strategy|environment|segment|change|change-request)-|^project-(created|updated|archived|revived|deleted|environment-)';

type EventRow = { readonly id: string; readonly size_bytes: number };

/** Copies the events of features, projects, environments, strategies and change requests. */
export function syncEvents(db: Postgres, clickhouse: ClickHouse): Promise<void> {
  return copyAppended<EventRow>(db, clickhouse, {
    table: 'events',
    copies: 'event_copies',
    columns: `
      id,
      ${textOfTime('created_at')} as created_at,
      type,
      coalesce(project, '') as project,
      coalesce(environment, '') as environment,
      coalesce(feature_name, '') as feature_name,
      created_by,
      coalesce(pre_data::text, '') as before,
      coalesce(data::text, '') as after,
      case when group_type = 'change-request' and group_id ~ '^[0-9]{1,9}$' then group_id::int else 0 end as change_request_id,
      size_bytes`,
    // ClickHouse deletes older ones, so they would be copied again and again.
    where: `type ~ '${TYPES}' and created_at > now() - interval '25 months'`,
    toCopy: ({ size_bytes: _, ...copy }) => copy,
  });
}
