import type { CopiedTable } from '../copied-table.ts';
import { syncOf } from '../copy-table.ts';
import { textOfTime } from '../rows.ts';

/** Events of users, tokens, applications and access are not for analysts: their data has e-mail addresses and names of tokens. */
const TYPES =
  '^(features?|strategy|environment|segment|change|change-request)-|^project-(created|updated|archived|revived|deleted|environment-)';

type EventRow = { readonly id: string; readonly size_bytes: number };

/** The events of features, projects, environments, strategies and change requests. */
export const EVENTS: CopiedTable<EventRow> = {
  name: 'events',
  table: 'events',
  copies: 'event_copies',
  identity: { id: 'bigint' },
  appended: { time: 'created_at', where: `t.type ~ '${TYPES}'`, having: 'true' },
  columns: `
    t.id,
    ${textOfTime('t.created_at')} as created_at,
    t.type,
    coalesce(t.project, '') as project,
    coalesce(t.environment, '') as environment,
    coalesce(t.feature_name, '') as feature_name,
    t.created_by,
    coalesce(t.pre_data::text, '') as before,
    coalesce(t.data::text, '') as after,
    case when t.group_type = 'change-request' and t.group_id ~ '^[0-9]{1,9}$' then t.group_id::int else 0 end as change_request_id,
    t.size_bytes`,
  toCopy: ({ size_bytes: _, ...copy }) => copy,
};

export const syncEvents = syncOf(EVENTS);
