import type { Event, EventType } from '../../types.ts';

/** What an event did, as the verb of a sentence whose object is the subject of the event. */
const VERBS: Readonly<Record<EventType, string>> = {
  'api-token-created': 'created the token',
  'api-token-deleted': 'revoked the token',
  'api-token-updated': 'set the end of the token',
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
  'change-request-configuration-updated': 'changed the required approvals of',
  'change-request-created': 'drafted',
  'change-request-discarded': 'discarded',
  'change-request-rejected': 'rejected',
  'change-request-schedule-suspended': 'suspended, by archiving a feature,',
  'change-request-scheduled': 'scheduled',
  'change-request-scheduled-application-failure': 'could not apply, as scheduled,',
  'change-request-scheduled-application-success': 'applied, as scheduled,',
  'change-request-sent-to-review': 'asked for a review of',
  'clean-up-moved': 'moved the clean-up of',
  'code-repository-deleted': 'deleted the code references of',
  'environment-created': 'created the environment',
  'feature-archived': 'archived',
  'feature-created': 'created',
  'feature-environment-disabled': 'turned off',
  'feature-environment-enabled': 'turned on',
  'feature-environment-variants-updated': 'changed the variants of',
  'feature-favorited': 'made a favourite of',
  'feature-forgotten': 'made room by forgetting',
  'feature-guard-withheld': 'did not turn off, although a guard asks for it,',
  'feature-left-project': 'took out of a project:',
  'feature-metadata-updated': 'edited',
  'feature-project-change': 'moved to another project:',
  'feature-registered': 'registered, by evaluations,',
  'feature-revived': 'revived',
  'feature-stale-off': 'marked as not stale',
  'feature-stale-on': 'marked as stale',
  'feature-strategy-add': 'added a strategy to',
  'feature-strategy-remove': 'removed a strategy of',
  'feature-strategy-update': 'changed a strategy of',
  'feature-unfavorited': 'removed from the favourites:',
  'features-imported': 'imported a document',
  'notification-created': 'created the subscription',
  'notification-deleted': 'deleted the subscription',
  'notification-updated': 'changed the subscription',
  'pat-created': 'created the personal token',
  'pat-deleted': 'deleted the personal token',
  'project-access-added': 'gave a role in the project',
  'project-access-removed': 'took a role in the project',
  'project-archived': 'archived the project',
  'project-created': 'created the project',
  'project-revived': 'revived the project',
  'project-updated': 'edited the project',
  'role-deleted': 'deleted the role',
  'role-updated': 'changed the role',
  'strategy-created': 'created the strategy',
  'strategy-deleted': 'deleted the strategy',
  'strategy-deprecated': 'deprecated the strategy',
  'strategy-order-changed': 'changed the order of the strategies of',
  'strategy-reactivated': 'reactivated the strategy',
  'strategy-updated': 'edited the strategy',
  'user-created': 'created the user',
  'user-deleted': 'deleted the user',
  'user-updated': 'edited the user',
  'verdict-acknowledged': 'acknowledged a verdict on',
  'verdict-acknowledgement-removed': 'no longer acknowledges a verdict on',
};

/** For example "turned on". Types that only Unleash writes are their own words: "segment created:". */
export function eventVerb({ type }: Pick<Event, 'type'>): string {
  return isOwnType(type) ? VERBS[type] : `${type.replaceAll('-', ' ')}:`;
}

function isOwnType(type: string): type is EventType {
  return Object.hasOwn(VERBS, type);
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
