import { parseTimestamp } from '#base/schema';
import { parseDuration } from '#base/runtime';

/** A date and time without seconds, up to the zone. */
const MINUTE = /^.{10}[T ]\d\d:\d\d(?!:)/;

/**
 * Epoch milliseconds of a time in the past, as operators write it: a duration back from now (`90m`, `24h`, `7d`), a date, or a
 * date and time of ISO 8601, with or without seconds, in UTC unless it has a zone. Undefined for any other text.
 */
export function parseSince(text: string, now: number): number | undefined {
  const duration = parseDuration(text);
  const since =
    (duration === undefined ? undefined : now - duration) ??
    parseTimestamp(text) ??
    parseTimestamp(text.replace(MINUTE, '$&:00')) ??
    parseTimestamp(`${text}T00:00:00Z`);
  return since !== undefined && since >= 0 && since <= now ? since : undefined;
}
