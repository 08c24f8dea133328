import type { Visible } from '#base/tokens';
import type { Event } from '../../../record/events/schema.ts';
import { EVENT_COLUMNS, type EventRow, toEvent } from '../../../record/events/store/rows.ts';
import type { EventsQuery } from '../schemas.ts';
import { type Conditions, type Listing, addSearch, createConditions } from './page.ts';

export const eventListing: Listing<EventRow & { size_bytes: number }, Event> = {
  select: `select ${EVENT_COLUMNS}, size_bytes from events`,
  sorts: {
    createdAt: [
      { column: 'created_at', sql: 'created_at', kind: 'time' },
      { column: 'id', sql: 'id', kind: 'number' },
    ],
  },
  toItem: toEvent,
};

const TEXTS = ['type', "coalesce(feature_name, '')", 'created_by'];

export function eventsThat(
  { search, project, feature, type, exceptType, from, to }: EventsQuery,
  visible: Visible,
): Conditions {
  const conditions = createConditions();
  const { put, where } = conditions;
  if (visible !== undefined) where(`project = any(${put(visible)})`);
  if (search !== undefined) addSearch(conditions, TEXTS, search);
  if (project !== undefined) where(`project = ${put(project)}`);
  if (feature !== undefined) where(`feature_name = ${put(feature)}`);
  if (type !== undefined) where(`type = ${put(type)}`);
  if (exceptType !== undefined) where(`type <> ${put(exceptType)}`);
  if (from !== undefined) where(`created_at >= ${put(from)}::timestamptz`);
  if (to !== undefined) where(`created_at < ${put(to)}::timestamptz`);
  return conditions;
}
