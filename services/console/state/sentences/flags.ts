import { say } from '#base/words';
import { formatCount } from '../format.ts';
import { formatPlural } from './plural.ts';

/** What the parts of pages about flags say about their numbers. */

/** Whom a change in an environment reaches at once. The applications are listed below it. */
export function reachedSentence(evaluations: number, environment: string): string {
  return evaluations === 0
    ? say`Nobody evaluated it in ${environment} in the last complete hour.`
    : say`It was evaluated ${formatPlural(evaluations, 'time')} in ${environment} in the last complete hour, by:`;
}

export function perHourWords(evaluations: number): string {
  return `${formatCount(evaluations)} / h`;
}

export function otherFeaturesSentence(others: number): string {
  return `And ${formatPlural(others, 'other feature')}.`;
}

export function olderCommentsWords(older: number): string {
  return formatPlural(older, 'older comment');
}

export function archiveTitle(flags: number): string {
  return `Archive ${formatPlural(flags, 'flag')}`;
}

/** What archiving them does to those who evaluate them. */
export function archiveSentence(evaluationsPerDay: number): string {
  return evaluationsPerDay === 0
    ? 'No application evaluates them.'
    : `Applications still evaluate them ${formatPlural(evaluationsPerDay, 'time')} a day, and get their default for an archived flag.`;
}

/** `ofUnleash`: those of them that only Unleash can revive. */
export function archivedNoticeSentence(flags: number, ofUnleash: number): string {
  const archived = `${formatPlural(flags, 'flag is', 'flags are')} archived.`;
  return ofUnleash === 0
    ? archived
    : `${archived} Revive ${formatPlural(ofUnleash, 'flag')} of Unleash there.`;
}

export function archiveRequestSentence(flags: number): string {
  return `A change request asks to archive ${formatPlural(flags, 'flag')}.`;
}

export function moreWords(left: number): string {
  return `${formatCount(left)} more`;
}

type Places = {
  /** How many there are. */
  readonly total: number;
  readonly listed: number;
  readonly repositories: number;
};

/** 12 places in 3 repositories */
export function placesSentence({ total, listed, repositories }: Places): string {
  const inRepositories = `in ${formatPlural(repositories, 'repository', 'repositories')}`;
  if (listed === total) return `${formatPlural(total, 'place')} ${inRepositories}`;
  return `${formatPlural(total, 'place')}; ${formatCount(listed)} of them, ${inRepositories}, are listed`;
}

export function placesWords(total: number): string {
  return `${formatPlural(total, 'place')} of code`;
}

export function otherPlacesWords(others: number): string {
  return formatPlural(others, 'other place');
}

/** Why there are no places. */
export function noPlacesSentence(scannedRepositories: number): string {
  if (scannedRepositories === 0) return 'No scan was pushed yet.';
  return scannedRepositories === 1
    ? 'The scanned repository does not name it.'
    : `The ${formatCount(scannedRepositories)} scanned repositories do not name it.`;
}

/** Empty if a scan pushed all that it found. */
export function leftOutSentence(places: number): string {
  return places === 0
    ? ''
    : `Because there were too many, ${formatPlural(places, 'place')} of any name ${places === 1 ? 'was' : 'were'} left out.`;
}

/** Whether the code of a flag that is being removed is gone too. `isGone`: whether nobody evaluates it any more. */
export function codeLeftSentence(places: number, isGone: boolean): string {
  if (places > 0) return `Code still there: ${formatPlural(places, 'place')}`;
  return isGone ? 'No code names it: archive it' : 'No code names it';
}

/** `isCut`: whether not all applications are known. Nobody asked the others. */
export function knownToWords(applications: number, isCut: boolean): string {
  if (isCut && applications === 0) return 'unknown';
  return `${isCut ? 'at least ' : ''}${formatPlural(applications, 'application')}`;
}
