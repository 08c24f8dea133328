import type { Delivery, Described, Subscription } from '../schema.ts';

export type SubscriptionRow = {
  id: number;
  name: string;
  channel: Subscription['channel'];
  host: string;
  seal_id: string;
  causes: Subscription['causes'];
  verdicts: Subscription['verdicts'];
  event_types: string[];
  project: string | null;
  owner: string | null;
  tag: string | null;
  schedule: Subscription['schedule'];
  hour: number;
  weekday: number;
  enabled: boolean;
  /** It was imported, and nobody has set its address since. */
  lacks_address: boolean;
  created_at: Date;
  created_by: string;
};

export const SUBSCRIPTION_COLUMNS = `
  s.id, s.name, s.channel, s.host, s.seal_id, s.causes, s.verdicts, s.event_types, s.project, s.owner, s.tag, s.schedule, s.hour,
  s.weekday, s.enabled, s.sealed_url = '' as lacks_address, s.created_at, s.created_by`;

export function toDescribed(row: SubscriptionRow): Described {
  return {
    id: row.id,
    name: row.name,
    channel: row.channel,
    host: row.host,
    causes: row.causes,
    verdicts: row.verdicts,
    eventTypes: row.event_types,
    project: row.project,
    owner: row.owner,
    tag: row.tag,
    schedule: row.schedule,
    hour: row.hour,
    weekday: row.weekday,
    enabled: row.enabled,
    createdAt: row.created_at.toISOString(),
    createdBy: row.created_by,
  };
}

export type DeliveryRow = {
  id: string;
  type: string;
  sentence: string;
  state: Delivery['state'];
  created_at: Date;
  attempts: number;
  attempted_at: Date | null;
  due_at: Date;
  delivered_at: Date | null;
  problem: string | null;
};

export const DELIVERY_COLUMNS = `
  d.id, d.type, d.data ->> 'sentence' as sentence, d.state, d.created_at, d.attempts, d.attempted_at, d.due_at, d.delivered_at,
  d.problem`;

export function toDelivery(row: DeliveryRow): Delivery {
  const isWaiting = row.state === 'pending' || row.state === 'held';
  return {
    id: row.id,
    type: row.type,
    sentence: row.sentence,
    state: row.state,
    createdAt: row.created_at.toISOString(),
    attempts: row.attempts,
    attemptedAt: row.attempted_at?.toISOString() ?? null,
    nextAttemptAt: isWaiting ? row.due_at.toISOString() : null,
    deliveredAt: row.delivered_at?.toISOString() ?? null,
    problem: row.problem,
  };
}
