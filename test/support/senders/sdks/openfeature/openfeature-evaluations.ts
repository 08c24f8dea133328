import { setTimeout as sleep } from 'node:timers/promises';
import type { EvaluationDetails, FlagValue } from '@openfeature/core';
import type { World } from '../../../world.ts';
import type { OpenFeatureSdk } from './openfeature-sdk.ts';

/** Evaluations of an application by feature, as the views show them. */
export type Usage = Readonly<
  Record<string, { readonly yes: number; readonly no: number; readonly variants: object }>
>;

type Details = Pick<EvaluationDetails<FlagValue>, 'variant' | 'reason' | 'errorCode'>;

/** What was evaluated, as the SDK returned it. */
export class EvaluationLedger {
  readonly #features: Record<string, { yes: number; no: number; variants: Record<string, number> }> = {};

  readonly #reasons: Record<string, number> = {};

  /** Evaluations by feature, reason and error. */
  get reasons(): Readonly<Record<string, number>> {
    return this.#reasons;
  }

  get usage(): Usage {
    return this.#features;
  }

  /** Without the evaluations that failed. */
  get successes(): Usage {
    const features = Object.entries(this.#features).map(([feature, sums]) => {
      const failed = Object.entries(this.#reasons).filter(([why]) => why.startsWith(`${feature} error `));
      return [feature, { ...sums, no: sums.no - failed.reduce((sum, [, count]) => sum + count, 0) }] as const;
    });
    return Object.fromEntries(features.filter(([, { yes, no }]) => yes + no > 0));
  }

  /** Evaluates each flag once for each user, in all ways that can end. */
  async evaluateAll({ client }: OpenFeatureSdk, users: number): Promise<void> {
    for (let user = 0; user < users; user += 1) {
      const context = { targetingKey: String(user) };
      for (const key of ['basket', 'checkout', 'retired', 'missing']) {
        const details = await client.getBooleanDetails(key, false, context);
        this.#add(key, details.value, details);
      }
      const colour = await client.getStringDetails('colour', 'none', context);
      this.#add('colour', colour.reason !== 'ERROR', colour);
      const limit = await client.getNumberDetails('limit', 0, context);
      this.#add('limit', limit.reason !== 'ERROR', limit);
      // The default of another type.
      const wrong = await client.getStringDetails('limit', 'none', context);
      this.#add('limit', wrong.reason !== 'ERROR', wrong);
      if (user % 20 === 0) await sleep(3);
    }
  }

  #add(feature: string, isYes: boolean, { variant, reason = 'UNKNOWN', errorCode }: Details): void {
    const why = `${feature} ${reason} ${errorCode ?? ''}`.toLowerCase();
    this.#reasons[why] = (this.#reasons[why] ?? 0) + 1;
    const sum = (this.#features[feature] ??= { yes: 0, no: 0, variants: {} });
    if (isYes) sum.yes += 1;
    else sum.no += 1;
    if (variant !== undefined) sum.variants[variant] = (sum.variants[variant] ?? 0) + 1;
  }
}

/** What the views show of an application. */
export async function usageOfApplication(world: World, appName: string): Promise<Usage> {
  const params = { appName };
  const rows = await world.query<{ feature_name: string; yes: number; no: number }>(
    `select feature_name, toUInt32(sum(u.yes)) as yes, toUInt32(sum(u.no)) as no
     from usage_by_hour as u
     where app_name = {appName:String}
     group by feature_name`,
    params,
  );
  const variants = await world.query<{ feature_name: string; variant: string; count: number }>(
    `select feature_name, variant, toUInt32(sum(v.count)) as count
     from variants_by_hour as v
     where app_name = {appName:String}
     group by feature_name, variant`,
    params,
  );
  return Object.fromEntries(
    rows.map(({ feature_name, yes, no }) => {
      const own = variants.filter((row) => row.feature_name === feature_name);
      return [
        feature_name,
        { yes, no, variants: Object.fromEntries(own.map((row) => [row.variant, row.count])) },
      ];
    }),
  );
}

/** The stored evaluations of an application by feature, reason and error. */
export async function reasonsOfApplication(
  world: World,
  appName: string,
): Promise<Readonly<Record<string, number>>> {
  const rows = await world.query<{ why: string; evaluations: number }>(
    `select concat(feature_name, ' ', reason, ' ', error_type) as why, toUInt32(sum(r.evaluations)) as evaluations
     from reasons_by_hour as r
     where app_name = {appName:String}
     group by why`,
    { appName },
  );
  return Object.fromEntries(rows.map(({ why, evaluations }) => [why, evaluations]));
}

/** The hook that counts has no variant, and sends the value as the variant. */
export function withoutVariants(usage: Usage): Readonly<Record<string, { yes: number; no: number }>> {
  return Object.fromEntries(Object.entries(usage).map(([feature, { yes, no }]) => [feature, { yes, no }]));
}
