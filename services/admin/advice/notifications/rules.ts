import { isolate, say } from '#base/words';

/** What a subscription can be about. */
export const CAUSES = [
  'verdict-appeared',
  'verdict-ended',
  'change-request-waiting',
  'token-ending',
  'event',
] as const;

export const SCHEDULES = ['at-once', 'daily', 'weekly'] as const;

/** The event by which a change request begins to wait for approvals. */
export const WAITING_EVENT = 'change-request-sent-to-review';

/** What happened, as it was written beside the change. */
export type Cause = {
  readonly id: string;
  readonly kind: 'verdict-appeared' | 'verdict-ended' | 'token-ending' | 'event';
  /** The verdict, the type of the token, or that of the event. */
  readonly type: string;
  readonly project: string | null;
  readonly environment: string | null;
  readonly featureName: string | null;
  readonly data: Readonly<Record<string, unknown>>;
};

export type Told = {
  /** The type of the message. */
  readonly type: string;
  readonly data: { readonly sentence: string; readonly page: string; readonly [member: string]: unknown };
};

/** What is told about a cause. */
export function tell(cause: Cause): Told {
  const { kind, type, project, environment, featureName, data } = cause;
  const place = { project, environment, featureName };
  if (kind === 'token-ending')
    return {
      type: 'token.ending',
      data: { ...data, environment, tokenType: type, sentence: sentenceOfToken(cause), page: 'tokens' },
    };
  if (kind !== 'event')
    return {
      type: kind.replace('-', '.'),
      data: {
        ...data,
        ...place,
        verdict: type,
        sentence: sentenceOfVerdict(cause),
        page: pageOfVerdict(cause),
      },
    };
  const isWaiting = type === WAITING_EVENT;
  return {
    type: isWaiting ? 'change-request.waiting' : 'event',
    data: { ...data, ...place, event: type, sentence: sentenceOfEvent(cause), page: pageOfEvent(cause) },
  };
}

function sentenceOfToken({ type, environment, data }: Cause): string {
  const user = textOf(data['user']);
  const of = user === '' ? (environment ?? '') : user;
  const seenAt = textOf(data['seenAt']);
  const use = seenAt === '' ? 'It was never used' : say`It was last used at ${seenAt}`;
  const token = say`The ${type} token ${textOf(data['tokenName'])}`;
  const owned = of === '' ? token : `${token} of ${isolate(of)}`;
  return `${owned} ends at ${isolate(textOf(data['expiresAt']))}. ${use}.`;
}

function sentenceOfVerdict({ kind, type, environment, data }: Cause): string {
  const verdict = type.replaceAll('_', ' ');
  const subject = textOf(data['subject']) || 'the installation';
  const where =
    environment === null || environment === '' ? isolate(subject) : say`${subject} in ${environment}`;
  return kind === 'verdict-ended'
    ? `No longer ${verdict}: ${where}.`
    : `${capital(verdict)}: ${where}. ${textOf(data['explanation'])}`;
}

function pageOfVerdict({ data }: Cause): string {
  const subject = encodeURIComponent(textOf(data['subject']));
  const pages: Readonly<Record<string, string>> = {
    feature: `features/${subject}`,
    application: `applications/${subject}`,
    relay: 'relays',
  };
  return pages[textOf(data['subjectType'])] ?? 'accounting';
}

function sentenceOfEvent({ type, project, environment, featureName, data }: Cause): string {
  const request = textOf(data['changeRequestId']);
  const subject = request === '' ? featureName && isolate(featureName) : say`change request ${request}`;
  const where = [subject, environment && say`in ${environment}`, project && say`of project ${project}`];
  const place = where.filter((part) => part !== null && part !== '').join(' ');
  return type === WAITING_EVENT
    ? `${capital(place)} of ${isolate(textOf(data['createdBy']))} waits for approval.`
    : `${capital(type.replaceAll('-', ' '))}${place === '' ? '' : `: ${place}`}, by ${isolate(textOf(data['createdBy']))}.`;
}

function pageOfEvent({ project, featureName, data }: Cause): string {
  const request = textOf(data['changeRequestId']);
  if (request !== '' && project !== null) return `change-requests/${encodeURIComponent(project)}/${request}`;
  return featureName === null ? 'events' : `features/${encodeURIComponent(featureName)}`;
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

const DAY_MS = 24 * 3_600_000;
const FIRST_PAUSE_MS = 10_000;
const LONGEST_PAUSE_MS = 3_600_000;

/** A message is given up after this time. */
export const GIVE_UP_AFTER_MS = DAY_MS;

/** A message that waits for longer was put off by a clock that was ahead. */
export const LONGEST_WAIT_MS = LONGEST_PAUSE_MS + 60_000;

/** The pause after a number of failed attempts: 10 s, then twice as long each time, up to an hour. */
export function pauseAfter(attempts: number): number {
  return Math.min(FIRST_PAUSE_MS * 2 ** (attempts - 1), LONGEST_PAUSE_MS);
}
