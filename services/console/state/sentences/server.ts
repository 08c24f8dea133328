import { type Zone, formatCount, formatTime } from '../format.ts';

const COUNT_IN_SENTENCE =
  /(?<= |^)\d{4,15}(?= (?:evaluations|observations|times)\b)|(?<= has )\d{4,15}(?= )|(?<= has \S+ in )\d{4,15}(?=\.)/g;

const TIME_IN_SENTENCE = /\b(\d{4}-\d\d-\d\d)[ T](\d\d:\d\d(?::\d\d)?)(?:\.\d+)?(?: UTC|Z)(?!\w)/g;
const DAY_IN_SENTENCE = /\b\d{4}-\d\d-\d\d\b(?! \d\d:\d\d)/;

/** Separates the thousands in the counts of a sentence of the server, and shows its times in the zone. Names keep their digits. */
export function formatSentence(sentence: string, zone: Zone): string {
  const counted = sentence.replace(COUNT_IN_SENTENCE, (digits) => formatCount(Number(digits)));
  if (zone === 'UTC') return counted;
  const hasDays = DAY_IN_SENTENCE.test(counted.replace(TIME_IN_SENTENCE, ''));
  const local = counted.replace(TIME_IN_SENTENCE, (_, day: string, clock: string) =>
    formatTime(`${day}T${clock}Z`, zone, { withSeconds: clock.length > 5 }),
  );
  // Days are summed up in UTC, so no other days have these counts.
  return hasDays ? `${local} (Days of UTC.)` : local;
}
