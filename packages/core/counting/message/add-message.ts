import type { CountSums } from '../sums/count-sums.ts';
import { hourOf, dayOf } from '#base/schema';
import type { Refusal } from '../refusals.ts';
import type { FeatureSenders } from '../evaluations/feature-senders.ts';
import type { Outcome, ReasonSums } from '../evaluations/reason-sums.ts';
import type { CountsMessage } from './counts-message.ts';
import { addRows, at } from './rows.ts';
import type { SeriesPoint } from '../series/series-point.ts';
import type { SeriesOfBlock, SeriesOutcome } from '../series/series-of-block.ts';

type Sums = { readonly sums: CountSums; readonly reasons: ReasonSums; readonly senders: FeatureSenders };

/** `minute`: when the message arrived, in minutes since the epoch; or NO_MINUTE. */
type SumsOfMinute = Sums & { readonly minute: number };

/**
 * Adds the rows of a message, and the new evaluations of its points. Returns its refusals, with the points that are refused. Without
 * `series` nothing is known of them, so all are.
 */
export function addMessage(
  { sums, reasons, senders, minute }: SumsOfMinute,
  message: CountsMessage,
  series: SeriesOfBlock | undefined,
): readonly Refusal[] {
  const nameIds = message.names.map((name) => sums.nameId(name));
  sums.beginMinute(minute);
  addCounts({ sums, reasons }, message, nameIds);
  addSenders(senders, message);
  // Most messages have none.
  if (message.points.length === 0) return message.refusals;
  const refused = [...message.refusals];
  for (const one of message.points) {
    const outcome: SeriesOutcome = series?.judge(message.owner, one) ?? {
      reason: 'unknown_start',
      sample: '',
    };
    if ('added' in outcome) {
      addPoint({ sums, reasons }, named(one, nameIds), outcome.added);
      if (outcome.added > 0) addSender(senders, message, { ...one, day: dayOf(one.at / 1000) });
    } else refused.push(refusalOf(one, outcome, message.names));
  }
  return refused;
}

function addCounts(
  { sums, reasons }: Omit<Sums, 'senders'>,
  { groups, rows, unknown, reasons: why }: CountsMessage,
  nameIds: readonly number[],
): void {
  const groupIds: number[] = [];
  for (let i = 0; i < groups.length; i += 3) {
    const [app, environment] = [at(nameIds, at(groups, i)), at(nameIds, at(groups, i + 1))];
    groupIds.push(sums.groupId(app, environment, at(groups, i + 2)));
  }
  addRows(sums, rows, { names: nameIds, groups: groupIds });
  for (const { feature, group, count } of unknown) {
    sums.select(at(groupIds, group), at(nameIds, feature));
    sums.addUnknown(count);
  }
  for (const sum of why?.all() ?? []) {
    const row = { feature: at(nameIds, sum.feature), group: at(groupIds, sum.group) };
    reasons.add(row, outcomeNamed(sum, nameIds), sum.count);
  }
}

/** Only evaluations of OpenTelemetry have reasons. */
function addSenders(senders: FeatureSenders, message: CountsMessage): void {
  for (const { feature, group, reason } of message.reasons?.all() ?? [])
    addSender(senders, message, { feature, reason, day: Math.floor(at(message.groups, 3 * group + 2) / 24) });
}

/** An error proves nothing about the name. */
function addSender(
  senders: FeatureSenders,
  { tokenId, names }: CountsMessage,
  { feature, reason, day }: { readonly feature: number; readonly reason: number; readonly day: number },
): void {
  if (at(names, reason) !== 'error') senders.add({ token: tokenId, feature: at(names, feature), day });
}

/** The outcome with the names of the block. */
function outcomeNamed({ reason, errorType, provider }: Outcome, nameIds: readonly number[]): Outcome {
  return {
    reason: at(nameIds, reason),
    errorType: errorType === undefined ? undefined : at(nameIds, errorType),
    provider: provider === undefined ? undefined : at(nameIds, provider),
  };
}

/** The point with the names of the block. */
function named(point: SeriesPoint, nameIds: readonly number[]): SeriesPoint {
  const { feature, app, environment, variant } = point;
  return {
    ...point,
    feature: at(nameIds, feature),
    app: at(nameIds, app),
    environment: at(nameIds, environment),
    variant: variant === undefined ? undefined : at(nameIds, variant),
    ...outcomeNamed(point, nameIds),
  };
}

/** A point that adds nothing makes no row: an idle counter must not look used. */
function addPoint({ sums, reasons }: Omit<Sums, 'senders'>, point: SeriesPoint, added: number): void {
  if (added === 0) return;
  const { feature, app, environment, variant, result } = point;
  const group = sums.groupId(app, environment, hourOf(point.at / 1000));
  sums.select(group, feature);
  sums.add(1, result === 'enabled' ? added : 0, result === 'disabled' ? added : 0);
  if (result === 'unknown') sums.addUnknown(added);
  if (variant !== undefined) sums.addVariant(variant, added);
  reasons.add({ feature, group }, point, added);
}

function refusalOf(
  { feature, app, environment }: SeriesPoint,
  { reason, sample }: Extract<SeriesOutcome, { sample: string }>,
  names: readonly string[],
): Refusal {
  return {
    kind: 'metric',
    reason,
    metrics: 1,
    sample,
    featureName: at(names, feature),
    appName: at(names, app),
    environment: at(names, environment),
  };
}
