import type { Event, EventToken } from '../schema.ts';

export type EventRow = {
  id: string;
  type: string;
  created_by: string;
  created_at: Date;
  created_by_user_id: number | null;
  data: Record<string, unknown> | null;
  pre_data: Record<string, unknown> | null;
  tags: Record<string, unknown>[];
  feature_name: string | null;
  project: string | null;
  environment: string | null;
  group_type: string | null;
  group_id: string | null;
  token: EventToken | null;
  comment: string | null;
};

export const EVENT_COLUMNS = `
  id, type, created_by, created_at, created_by_user_id, data, pre_data, tags, feature_name, project, environment,
  group_type, group_id, token, comment`;

export function toEvent(row: EventRow): Event {
  return {
    id: Number(row.id),
    type: row.type,
    createdBy: row.created_by,
    createdAt: row.created_at.toISOString(),
    createdByUserId: row.created_by_user_id,
    data: row.data,
    preData: row.pre_data,
    tags: row.tags,
    featureName: row.feature_name,
    project: row.project,
    environment: row.environment,
    token: row.token,
    ...(row.comment === null ? {} : { comment: row.comment }),
    ...(row.group_type === null || row.group_id === null
      ? {}
      : { groupType: row.group_type, groupId: row.group_id }),
  };
}
