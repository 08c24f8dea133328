import { CountSums, NO_MINUTE } from '../sums/count-sums.ts';
import { addMessage } from './add-message.ts';
import { FeatureSenders } from '../evaluations/feature-senders.ts';
import { ReasonSums } from '../evaluations/reason-sums.ts';
import { ImpactSums } from '../impact/impact-sums.ts';
import type { CountsMessage } from './counts-message.ts';

/**
 * What a trusted token sent about one arm of a feature in one hour: evaluations, or samples of an impact metric. The total is in
 * billionths.
 */
export type Evidence = {
  readonly token: string;
  readonly feature: string;
  readonly environment: string;
  readonly app: string;
  /** Since the epoch. */
  readonly hour: number;
  readonly arm: string;
  readonly exposures: number;
  /** Undefined for evaluations. */
  readonly metric?: { readonly name: string; readonly type: 'counter' | 'histogram' };
  readonly total: bigint;
  readonly observations: bigint;
  readonly buckets: ReadonlyMap<string, bigint>;
};

type Sums = { readonly counts: CountSums; readonly impact: ImpactSums };

/** Labels that SDKs add to every sample. They name no feature. */
const STATIC_LABELS: ReadonlySet<string> = new Set(['appName', 'environment', 'origin', 'projectName']);

const NO_SAMPLES = { total: 0n, observations: 0n, buckets: new Map<string, bigint>() } as const;

/** Adds up what trusted tokens sent in one block, by token. Counts do not know who sent them. */
export class TrustedSums {
  readonly #byToken = new Map<string, Sums>();

  /** Points of counters are left out, because only their difference from an earlier body counts. */
  add(message: CountsMessage): void {
    const { tokenId, receivedAt } = message;
    const known = this.#byToken.get(tokenId) ?? { counts: new CountSums(), impact: new ImpactSums() };
    this.#byToken.set(tokenId, known);
    const unused = { reasons: new ReasonSums(), senders: new FeatureSenders(), minute: NO_MINUTE };
    addMessage({ ...unused, sums: known.counts }, { ...message, points: [], reasons: undefined }, undefined);
    known.impact.add(message.impact, receivedAt);
  }

  all(): Evidence[] {
    return [...this.#byToken].flatMap(([token, { counts, impact }]) => [
      ...evaluationsOf(token, counts),
      ...samplesOf(token, impact),
    ]);
  }
}

/** As in the view exposures_by_hour: `enabled` has what the variants leave, and SDKs also count one that is called disabled. */
function* evaluationsOf(token: string, sums: CountSums): Generator<Evidence> {
  const nameOf = (id: number): string => sums.names[id] ?? '';
  for (let row = 0; row < sums.rowCount; row += 1) {
    const group = sums.groupOf(row);
    const place = {
      token,
      feature: nameOf(sums.featureOf(row)),
      app: nameOf(sums.appOf(group)),
      environment: nameOf(sums.environmentOf(group)),
      hour: sums.hourOf(group),
      ...NO_SAMPLES,
    };
    let enabled = sums.yesOf(row);
    for (let at = sums.firstVariantOf(row); at >= 0; at = sums.nextVariant(at)) {
      const arm = nameOf(sums.nameOfVariant(at));
      if (arm === 'enabled' || arm === 'disabled') continue;
      yield { ...place, arm, exposures: sums.countOfVariant(at) };
      enabled -= sums.countOfVariant(at);
    }
    yield { ...place, arm: 'enabled', exposures: enabled };
    yield { ...place, arm: 'disabled', exposures: sums.noOf(row) };
  }
}

function* samplesOf(token: string, impact: ImpactSums): Generator<Evidence> {
  for (const { name, type, appName, labelNames, labelValues, ...sums } of impact.result().series)
    for (const [index, feature] of labelNames.entries()) {
      if (STATIC_LABELS.has(feature)) continue;
      const { environment, hour, total, observations, buckets } = sums;
      yield {
        token,
        feature,
        environment,
        app: appName,
        hour,
        arm: labelValues[index] ?? '',
        metric: { name, type },
        exposures: 0,
        total,
        observations,
        buckets,
      };
    }
}
