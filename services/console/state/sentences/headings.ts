import { say } from '#base/words';
import type { ImpactMetrics } from '../../types.ts';
import { formatAge, formatCount, formatShare } from '../format.ts';
import { formatPlural } from './plural.ts';

/** What the headings of pages say about their numbers. */

type Evaluations = { readonly yes: number; readonly no: number; readonly unknown: number };
type InTime = {
  /** All environments without it. */
  readonly environment: string | undefined;
  /** Such as `in the last 24 hours`. */
  readonly time: string;
};

/** Says nothing about now: a rollout may have changed within the time. */
export function featureSentence(
  name: string,
  { yes, no, unknown }: Evaluations,
  { environment, time }: InTime,
): string {
  const place = environment === undefined ? 'in all environments' : say`in ${environment}`;
  const ofReported = unknown === 0 ? '' : ' of the reported results';
  if (yes + no > 0)
    return say`${name} was on for ${formatShare(yes, yes + no)}${ofReported} ${place} ${time}`;
  if (unknown > 0) return say`${name} was evaluated ${place} ${time}, and no result was reported`;
  return say`${name} was not evaluated ${place} ${time}`;
}

export function cleanUpSentence(counts: {
  readonly canGo: number;
  /** Whether not all that can go are listed. */
  readonly isCut: boolean;
  /** Whether some of them may be acknowledged, because not all acknowledgements were read. */
  readonly isTooMany: boolean;
  readonly beingRemoved: number;
  readonly typos: number;
  /** Whether not all unknown names are listed. */
  readonly areNamesCut: boolean;
}): string {
  const { canGo, isCut, isTooMany, beingRemoved, typos, areNamesCut } = counts;
  const few = areNamesCut ? 'at least ' : '';
  const many = isTooMany ? 'About ' : isCut ? 'At least ' : '';
  const parts = [
    ...(canGo === 0 ? [] : [`${many}${formatPlural(canGo, 'flag')} can go`]),
    ...(beingRemoved === 0 ? [] : [formatPlural(beingRemoved, 'is being removed', 'are being removed')]),
    ...(typos === 0
      ? []
      : [`${few}${formatPlural(typos, 'name is probably a typo', 'names are probably typos')}`]),
  ];
  return parts.length === 0 ? 'Nothing to clean up' : capital(parts.join(', '));
}

/** `isCut`: whether not all of them are listed. */
export function changeRequestsSentence(counts: {
  readonly inReview: number;
  /** Those that the reader may approve; undefined if the reader may approve none at all. */
  readonly waiting: number | undefined;
  readonly isCut: boolean;
}): string {
  const { inReview, waiting, isCut } = counts;
  const many = isCut ? 'At least ' : '';
  if (waiting === undefined) return `${many}${formatPlural(inReview, 'is', 'are')} in review`;
  if (waiting > 0) return `${many}${formatPlural(waiting, 'waits', 'wait')} for you`;
  return isCut ? `Of the newest ${formatCount(inReview)} none waits for you` : 'Nothing waits for you';
}

export function approvalsSentence(name: string, missing: number): string {
  return say`${name} needs ${formatPlural(missing, 'approval')}`;
}

/** `age`: of the last change, in milliseconds. */
export function eventsSentence(events: {
  readonly listed: number;
  readonly isFiltered: boolean;
  readonly age: number | undefined;
}): string {
  const { listed, isFiltered, age } = events;
  if (age === undefined) return isFiltered ? 'No change matches' : 'Nothing was changed yet';
  return isFiltered
    ? `${formatPlural(listed, 'change')} on this page`
    : `The last change was ${formatAge(age)} ago`;
}

/** `silent`: what `silentWords` says. */
export function applicationsSentence(total: number, silent: string): string {
  return `${formatPlural(total, 'application reports', 'applications report')}${silent}`;
}

export function applicationSentence(name: string, instances: number): string {
  return say`${name} runs in ${formatPlural(instances, 'instance')}`;
}

export function subscriptionsSentence(all: number, failing: number): string {
  const subscriptions = formatPlural(all, 'subscription');
  if (failing > 0)
    return `${subscriptions}, and messages of ${formatPlural(failing, 'subscription')} do not arrive`;
  return all === 0 ? 'Nobody is told' : `${subscriptions}, and all messages arrive`;
}

export function archivedSentence(listed: number, isWhole: boolean): string {
  return `${formatPlural(listed, 'archived flag')}${isWhole ? '' : ' on this page'}`;
}

/** One person may give several answers. */
export function feedbackSentence(answers: number, meanScore: number | undefined): string {
  const count = formatPlural(answers, 'answer');
  return meanScore === undefined ? count : `${count}, ease ${meanScore.toFixed(1)} of 7`;
}

export function tokensSentence(all: number, expired: number): string {
  return `${formatPlural(all, 'API token')}${expired === 0 ? '' : `, ${formatCount(expired)} expired`}`;
}

export function usersSentence(all: number, admins: number): string {
  return `${formatPlural(all, 'user')}, ${formatCount(admins)} with the role Admin`;
}

export function accessSentence(project: string, users: number): string {
  return say`${formatPlural(users, 'user has', 'users have')} a role in ${project}`;
}

export function strategiesSentence(all: number, custom: number): string {
  return `${formatPlural(all, 'strategy', 'strategies')}, ${formatCount(custom)} custom`;
}

export function projectsSentence(all: number): string {
  return formatPlural(all, 'project');
}

export function relaysSentence(counts: {
  readonly reporting: number;
  readonly silent: number;
  /** Those of the listed ones with an old configuration. */
  readonly behind: number;
  readonly isWhole: boolean;
}): string {
  const { reporting, silent, behind, isWhole } = counts;
  return [
    formatPlural(reporting, 'relay reports', 'relays report'),
    ...(silent === 0 ? [] : [`${formatCount(silent)} silent`]),
    ...(behind === 0
      ? []
      : [`${isWhole ? '' : 'at least '}${formatCount(behind)} with an old configuration`]),
  ].join(', ');
}

export function impactMetricsSentence({ total, impactMetrics }: ImpactMetrics): string {
  if (total === 0) return 'No application sends impact metrics';
  if (total > impactMetrics.length) return `Applications send ${formatPlural(total, 'impact metric')}`;
  const names = new Set(impactMetrics.map(({ metric }) => metric)).size;
  const applications = new Set(impactMetrics.flatMap((metric) => metric.applications)).size;
  const features = new Set(impactMetrics.flatMap((metric) => metric.features)).size;
  const sent = formatPlural(applications, 'application sends', 'applications send');
  return `${sent} ${formatPlural(names, 'impact metric')} with ${formatPlural(features, 'flag')}`;
}

type OfDay = { readonly day: string; readonly count: number };

type Refused = {
  readonly refusals: readonly (OfDay & { readonly kind: string })[];
  readonly rejectedBodies: readonly OfDay[];
  /** How many bodies were rejected. Only the newest ones are listed. */
  readonly total: number;
  readonly today: string;
  /** Whether there may be more refusals of today. */
  readonly isCut: boolean;
};

/** What was not counted today (UTC). */
export function refusedSentence({ refusals, rejectedBodies, total, today, isCut }: Refused): string {
  const isToday = ({ day }: OfDay): boolean => day === today;
  const ofToday = refusals.filter(isToday);
  const ofKind = (kind: string) => ofToday.filter((refusal) => refusal.kind === kind);
  const [metrics, applications] = [sumOf(ofKind('metric')), sumOf(ofKind('application'))];
  const bodies = sumOf(rejectedBodies.filter(isToday));
  const fromBodies = rejectedBodies.length < total && rejectedBodies.every(isToday) ? 'at least ' : '';
  const from = isCut ? 'At least ' : '';
  const parts = [
    ...(metrics > 0 ? [`${from}${formatPlural(metrics, 'metric was', 'metrics were')} not counted`] : []),
    ...(metrics === 0 && applications > 0
      ? [`${from}${formatPlural(applications, 'application was', 'applications were')} not registered`]
      : []),
    ...(bodies > 0 ? [`${fromBodies}${formatPlural(bodies, 'body was', 'bodies were')} not accepted`] : []),
  ];
  const [first = '', ...others] = parts;
  if (parts.length > 0) return `${[capital(first), ...others].join(', and ')} today`;
  return refusals.length + rejectedBodies.length === 0 ? 'Nothing was refused' : 'Nothing was refused today';
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

function sumOf(counted: readonly OfDay[]): number {
  return counted.reduce((sum, { count }) => sum + count, 0);
}
