import { type Block, startOfDayMs, startOfHourMs } from '#counting';
import { impactMarkerLine } from './impact-rows.ts';
import { markerKey } from './markers.ts';
import { sumRefusals } from './refusal-sums.ts';
import { lineOf, toUInt64 } from './row-values.ts';

/** The variant under which markers add up the counts of all variants. Markers with an empty one add up messages. */
const SUM_OF_VARIANTS = 'sum';

/** The reason under which markers add up the evaluations of all reasons. */
const SUM_OF_REASONS = 'sum';

/**
 * The rows that mark a block in its tables. The first marker of a day has the messages of the block. In tables by hour there is
 * a marker for each hour, in `refusals_daily` one for each reason: they have the sums of the rows with that hour or reason.
 */
export function* markerLines(block: Block): Generator<string> {
  const key = markerKey(block.range);
  const messages = (block.range.to - block.range.from).toString();
  const markedDays = new Set<number>();
  const daysWithVariants = new Set<number>();
  for (const [hour, { yes, no, variants }] of block.hours) {
    const day = Math.floor(hour / 24);
    const place = ['', key, '', startOfHourMs(hour) / 1000];
    yield lineOf(['usage_mark', ...place, toUInt64(yes), toUInt64(no), markedDays.has(day) ? 0 : messages]);
    markedDays.add(day);
    if (variants === 0n) continue;
    const counts = [daysWithVariants.has(day) ? 0 : messages, toUInt64(variants)];
    yield lineOf(['variants_mark', ...place, 0, 0, 0, ['', SUM_OF_VARIANTS], counts]);
    daysWithVariants.add(day);
  }
  yield* impactMarkerLines(block, { key, messages });
  yield* reasonMarkerLines(block, { key, messages });
  for (const [day, { byReason }] of sumRefusals(block.refusals)) {
    const place = ['', key, '', startOfDayMs(day) / 1000, 0, 0];
    yield lineOf(['refusals_mark', ...place, messages]);
    for (const [reason, metrics] of byReason)
      yield lineOf(['refusals_mark', ...place, metrics, [], [], reason]);
  }
}

function* reasonMarkerLines(
  { reasons }: Block,
  { key, messages }: { readonly key: string; readonly messages: string },
): Generator<string> {
  const markedDays = new Set<number>();
  for (const [hour, evaluations] of reasons.hours) {
    const day = Math.floor(hour / 24);
    const place = ['reason_mark', '', key, '', startOfHourMs(hour) / 1000, 0, 0];
    if (!markedDays.has(day)) yield lineOf([...place, messages]);
    yield lineOf([...place, toUInt64(evaluations), [], [], SUM_OF_REASONS]);
    markedDays.add(day);
  }
}

function* impactMarkerLines(
  { impact }: Block,
  { key, messages }: { readonly key: string; readonly messages: string },
): Generator<string> {
  const markedDays = new Set<number>();
  for (const [hour, { total, observations }] of impact.hours) {
    const day = Math.floor(hour / 24);
    const place = { appName: key, environment: '', hour };
    yield impactMarkerLine(place, { messages: markedDays.has(day) ? '0' : messages, total, observations });
    markedDays.add(day);
  }
}
