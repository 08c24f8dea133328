import { say } from '#base/words';
import { formatAge, formatCount, formatShare } from '../format.ts';
import { formatPlural } from './plural.ts';

/** What the parts of pages about senders say about their numbers. */

/** Of the time of the instances of an application in the last 24 hours. */
export function coverageSentence(covered: number, whole: number, instances: number): string {
  return `Counts of ${formatShare(covered, whole)} of the time of ${formatPlural(instances, 'instance')} arrived in the last 24 hours`;
}

/** "Instances", or which of them are listed. */
export function instancesTitle(listed: number, total: number): string {
  return listed < total
    ? `The ${formatCount(listed)} newest of ${formatCount(total)} instances`
    : 'Instances';
}

export function silentForWords(ageMs: number): string {
  return `silent for ${formatAge(ageMs)}`;
}

export function usedWords(ageMs: number): string {
  return `used ${formatAge(ageMs)} ago`;
}

/** `isCut`: whether others may count, too. */
export function in30DaysTitle(what: string, count: number, { isCut } = { isCut: false }): string {
  return say`${what}: ${isCut ? 'at least ' : ''}${formatCount(count)} in 30 days`;
}

export function deadLettersTitle(open: number): string {
  return `Dead letters: ${formatCount(open)} open`;
}

export function deadLettersSentence(open: number): string {
  return `The worker could not decode ${formatPlural(open, 'message')}.`;
}

export function importedSentence(rows: {
  readonly received: number;
  readonly counted: number;
  readonly refused: number;
}): string {
  const { received, counted, refused } = rows;
  return `${formatPlural(received, 'row')} = ${formatCount(counted)} counted + ${formatCount(refused)} refused.`;
}

/** Of all relays that hold a configuration, those with the newest one. */
export function currentWords(current: number, all: number): string {
  return `${formatCount(current)} of ${formatCount(all)}`;
}

export function latencyWords(p99Ms: number): string {
  return `99 % took at most ${formatCount(Math.round(p99Ms))} ms`;
}

export function behindWords(revisions: number): string {
  return `${formatCount(revisions)} behind`;
}

/** " after 3 attempts"; empty before the first one. */
export function attemptsWords(attempts: number): string {
  return attempts === 0 ? '' : ` after ${formatPlural(attempts, 'attempt')}`;
}
