import { list } from '#base/words';
import type { AccountingDocument, Verdicts } from '../../types.ts';
import { formatAge, formatCount } from '../format.ts';
import { SILENT, silentIn } from '../verdicts/silent.ts';
import { kindOf } from '../verdicts/verdict-kinds.ts';
import { formatPlural } from './plural.ts';

/** What the first pages say about their numbers, and what all pages do. The rest is in a script that is loaded later. */

export function featuresSentence(counts: {
  readonly all: number;
  /** Those that the filters leave. */
  readonly found: number;
  readonly notEvaluated: number;
}): string {
  const { all, found, notEvaluated } = counts;
  if (found < all) return `${formatPlural(found, 'feature')} of ${formatCount(all)}`;
  const features = formatPlural(all, 'feature');
  return notEvaluated === 0
    ? features
    : `${features}, ${formatCount(notEvaluated)} not evaluated for 30 days`;
}

export function waitingSentence(messages: number): string {
  return messages === 0
    ? 'no message waits to be counted'
    : `${formatPlural(messages, 'message waits', 'messages wait')} to be counted`;
}

const HOUR_MS = 3_600_000;

/** Whether everything is accounted for. */
export function accountingSentence({ isBalanced, differences, total, sample }: AccountingDocument): string {
  if (!isBalanced) return formatPlural(differences.length, 'number does not agree', 'numbers do not agree');
  if (total.received > 0) return 'Everything received is accounted for';
  return sample === null
    ? 'Nothing was received in this time'
    : 'This is the sample; nothing was received in this time';
}

/** "412 verdicts are not listed: 400 unknown, 12 new."; empty if all are. */
export function hiddenVerdictsSentence({ verdicts, totals }: Verdicts): string {
  const hidden = totals
    .map(({ verdict, total }) => ({
      verdict,
      left: total - verdicts.filter((one) => one.verdict === verdict).length,
    }))
    .filter(({ left }) => left > 0);
  if (hidden.length === 0) return '';
  const sum = hidden.reduce((all, { left }) => all + left, 0);
  const kinds = hidden.map(({ verdict, left }) => `${formatCount(left)} ${kindOf(verdict).title}`);
  return `${formatPlural(sum, 'verdict is', 'verdicts are')} not listed: ${list(kinds)}.`;
}

/** ", 11 with a silent instance"; "at least" if not all verdicts are listed. Empty without any. */
export function silentWords(data: Verdicts | undefined): string {
  if (data === undefined) return '';
  const listed = data.verdicts.filter(({ verdict }) => verdict === SILENT).length;
  const total = data.totals.find(({ verdict }) => verdict === SILENT)?.total ?? 0;
  const applications = silentIn(data).size;
  if (applications === 0) return '';
  return `, ${total > listed ? 'at least ' : ''}${formatCount(applications)} with a silent instance`;
}

/** "The first 1,000 of 1,217 applications." `total` is absent if it is not known. */
export function cutSentence(shown: number, total: number | undefined, of: string): string {
  return `The first ${formatCount(shown)}${total === undefined ? '' : ` of ${formatCount(total)}`} ${of}.`;
}

export function filtersWords(on: number): string {
  return `${formatPlural(on, 'filter')} on`;
}

export function applicationsWords(total: number): string {
  return formatPlural(total, 'application');
}

export function instancesWords(total: number): string {
  return formatPlural(total, 'instance');
}

export function evaluationsWords(total: number): string {
  return formatPlural(total, 'evaluation');
}

/** Of an hour, because nothing is known in a finer way. */
export function lastSeenWords(ageMs: number): string {
  return ageMs < HOUR_MS ? 'this hour' : `${formatAge(ageMs)} ago`;
}

/** `lastUsedMs`: how long ago the last one was used. */
export function tokensInUseSentence(reporting: number, lastUsedMs: number): string {
  return `${formatPlural(reporting, 'token')} of relays and SDKs used in the last hour, the last one ${formatAge(lastUsedMs)} ago`;
}

/** ", 2 silent"; empty without any. */
export function silentTokensWords(silent: number): string {
  return silent === 0 ? '' : `, ${formatCount(silent)} silent`;
}
