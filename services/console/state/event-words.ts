import type { Event } from '../api/types.ts';

/** What an event did, as the verb of a sentence. Other types are their own words. */
const VERBS: Readonly<Record<string, string>> = {
  'application-created': 'registered',
  'change-added': 'added a change to',
  'change-discarded': 'removed a change of',
  'change-edited': 'edited a change of',
  'change-request-applied': 'applied',
  'change-request-approval-added': 'voted for',
  'change-request-approvals-withdrawn': 'withdrew, by an edit, the approvals of',
  'change-request-approved': 'approved',
  'change-request-cancelled': 'cancelled',
  'change-request-comment-added': 'commented on',
  'change-request-created': 'drafted',
  'change-request-rejected': 'rejected',
  'change-request-scheduled': 'scheduled',
  'change-request-sent-to-review': 'asked for a review of',
  'feature-archived': 'archived',
  'feature-created': 'created',
  'feature-environment-disabled': 'turned off',
  'feature-environment-enabled': 'turned on',
  'feature-revived': 'revived',
  'feature-stale-off': 'marked as not stale',
  'feature-stale-on': 'marked as stale',
  'feature-strategy-add': 'added a strategy to',
  'feature-strategy-remove': 'removed a strategy of',
  'feature-strategy-update': 'changed a strategy of',
};

/** For example "turned on"; for an unknown type "user created:". */
export function eventVerb({ type }: Pick<Event, 'type'>): string {
  return VERBS[type] ?? `${type.replaceAll('-', ' ')}:`;
}

/** "from 50 % to 75 %", if the event changed a rollout; otherwise undefined. */
export function rolloutChange({ preData, data }: Pick<Event, 'preData' | 'data'>): string | undefined {
  const [before, after] = [rolloutOf(preData), rolloutOf(data)];
  if (before === undefined || after === undefined || before === after) return undefined;
  return `from ${before}\u00a0% to ${after}\u00a0%`;
}

function rolloutOf(state: Event['data']): string | undefined {
  const parameters: unknown = state?.['parameters'];
  if (typeof parameters !== 'object' || parameters === null) return undefined;
  const rollout: unknown = 'rollout' in parameters ? parameters.rollout : undefined;
  return typeof rollout === 'string' && rollout.length <= 3 ? rollout : undefined;
}
