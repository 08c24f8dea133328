import { APP_THRESHOLDS, FEATURE_THRESHOLDS } from '../../../services/admin/advice/verdicts/thresholds.ts';
import { untilItLasts } from '../borders.ts';
import type { World } from '../world.ts';

const HOUR_S = 3600;
const DAY_S = 24 * HOUR_S;
/** The latest time of ClickHouse, which is the first of nothing. */
const NEVER_FIRST = 2 ** 32 - 1;
/** Verdicts treat an hour as complete this long after its end. */
const SETTLING_MS = 5 * 60_000;

/** Hours ago. */
type Seen = {
  readonly first: number;
  readonly last: number;
  readonly environment?: string;
  readonly app?: string;
};
type Common = { readonly feature: string; readonly app?: string; readonly environment?: string };
type Evaluated = Common & { readonly yes?: number; readonly no?: number; readonly unknown?: number };
type Served = Common & { readonly variant: string; readonly count: number };
type Instance = {
  readonly app: string;
  readonly id: string;
  readonly secondsAgo: number;
  /** Since then it reported without a pause, until it was seen last. */
  readonly firstSecondsAgo?: number;
  readonly intervalMs?: number;
  readonly sdk?: string;
};
type Measured = Common & {
  readonly metric: string;
  readonly arm: string;
  readonly value?: number;
  /** Observations up to each bound that are above the bound before; makes it a histogram. */
  readonly buckets?: Readonly<Record<string, number>>;
  readonly hoursAgo: number;
};
type Proved = {
  readonly feature: string;
  readonly token: string;
  readonly environment?: string;
  readonly metric?: string;
  readonly arm: string;
  readonly count: number;
  readonly hoursAgo: number;
};
export type GuardOfHistory = {
  readonly metric: string;
  readonly direction: 'up' | 'down';
  readonly threshold: number;
  readonly above: number | null;
  readonly turn_off: readonly string[];
};
type Guarded = {
  readonly guards: readonly GuardOfHistory[];
  /** Its rollouts in production, the latest last; null depends on the context. */
  readonly rollouts: readonly { readonly hoursAgo: number; readonly percent: number | null }[];
  readonly isArchived?: boolean;
};
/** 1 is the last complete day or hour, 0 the current one. */
type Ago = { readonly daysAgo: number } | { readonly hoursAgo: number };

/** For tests that query verdicts as of now: waits until a history made next stays valid for a minute. */
export function untilHistoryLasts(): Promise<void> {
  return untilItLasts('hour', 60_000, SETTLING_MS);
}

/** Rows of the past, collected and then written directly into the tables, each separately. */
export type History = ReturnType<typeof createHistory>;

export function createHistory() {
  const hourS = Math.floor((Date.now() - SETTLING_MS) / 1000 / HOUR_S) * HOUR_S;
  /** Ten minutes into the hour, so the hour before is complete. */
  const atS = hourS + 600;
  const rows = new Map<string, object[]>();
  const add = (table: string, row: object): void => {
    const of = rows.get(table);
    if (of === undefined) rows.set(table, [row]);
    else of.push(row);
  };
  const momentOf = (ago: Ago) => {
    if ('hoursAgo' in ago) {
      const hour = hourS - ago.hoursAgo * HOUR_S;
      return { table: 'hourly', when: { hour }, seenAt: hour };
    }
    const seenAt = atS - ago.daysAgo * DAY_S;
    return { table: 'daily', when: { day: dayOf(seenAt) }, seenAt };
  };
  return {
    atS,
    evaluated({
      feature,
      app = 'shop',
      environment = 'production',
      yes = 0,
      no = 0,
      unknown = 0,
      ...ago
    }: Evaluated & Ago) {
      const { table, when } = momentOf(ago);
      const names = { feature_name: feature, app_name: app, environment };
      add(`usage_${table}`, { ...names, ...when, yes, no, unknown, reports: 1 });
    },
    served({ feature, app = 'shop', environment = 'production', variant, count, ...ago }: Served & Ago) {
      const { table, when, seenAt } = momentOf(ago);
      const names = { feature_name: feature, app_name: app, environment };
      add(`variants_${table}`, { ...names, ...when, variant, count });
      // As from a block with variants but no evaluations. Its other hours are those of `seen`.
      if (count > 0)
        add('feature_app_seen_states', {
          ...names,
          first_hour: NEVER_FIRST,
          last_hour: 0,
          excess_hour: seenAt,
        });
    },
    seen(feature: string, { first, last, environment = 'production', app = 'shop' }: Seen) {
      const hours = { first_hour: hourS - first * HOUR_S, last_hour: hourS - last * HOUR_S };
      add('feature_app_seen_states', { feature_name: feature, environment, app_name: app, ...hours });
    },
    exists(name: string, { isArchived = false, isOn = true, source = 'flagmeter' } = {}) {
      const state = { archived: isArchived, enabled_in: isOn ? ['production'] : [] };
      add('feature_copies', {
        name,
        project: 'default',
        type: 'release',
        ...state,
        source,
        created_at: atS,
        is_gone: 0,
      });
    },
    /** A feature with guards, whose configuration has changed. */
    guarded(name: string, { guards, rollouts, isArchived = false }: Guarded) {
      const configurations = rollouts.map(({ hoursAgo, percent }, index) => ({
        rollout: percent === 0 ? 0 : percent,
        isOn: percent !== 0,
        from: (hourS - hoursAgo * HOUR_S) * 1000,
        to: (hourS - (rollouts[index + 1]?.hoursAgo ?? 0) * HOUR_S) * 1000,
      }));
      for (const [id, { isOn, rollout, from, to }] of configurations.slice(0, -1).entries())
        add('past_configuration_copies', {
          id,
          feature_name: name,
          environment: 'production',
          enabled: isOn,
          rollout_percent: rollout,
          valid_from: from,
          valid_to: to,
        });
      const [now] = configurations.slice(-1);
      add('feature_copies', {
        name,
        project: 'default',
        type: 'release',
        archived: isArchived,
        created_at: atS,
        is_gone: 0,
        guards,
        environments: ['production'],
        are_enabled: [now?.isOn],
        changed_at: [now?.from],
        enabled_in: now?.isOn === true ? ['production'] : [],
        rollout_percents: [now?.rollout],
        strategies: ['[]'],
        constraints: ['[]'],
        variants: [{}],
      });
    },
    measured({ feature, app = 'shop', environment = 'production', metric, arm, hoursAgo, ...of }: Measured) {
      const { value = 0, buckets } = of;
      const counts = Object.values(buckets ?? {});
      add('impact_hourly', {
        metric_name: metric,
        metric_type: buckets === undefined ? 'counter' : 'histogram',
        environment,
        app_name: app,
        label_names: [feature],
        label_values: [arm],
        hour: hourS - hoursAgo * HOUR_S,
        samples: 1,
        total: String(value * 1e9),
        observations: counts.reduce((sum, count) => sum + count, 0),
        'bucketsMap.bound': Object.keys(buckets ?? {}),
        'bucketsMap.count': counts,
        'bucketsMap.present': counts.map(() => 1),
      });
    },
    /** What a trusted token sent: evaluations without a metric, or the value of a counter. */
    proved({ feature, token, environment = 'production', metric = '', arm, count, hoursAgo }: Proved) {
      const isCounter = metric !== '';
      add('evidence_hourly', {
        token_id: token,
        feature_name: feature,
        environment,
        app_name: 'shop',
        arm,
        metric_name: metric,
        metric_type: isCounter ? 'counter' : '',
        hour: hourS - hoursAgo * HOUR_S,
        exposures: isCounter ? 0 : count,
        total: String(isCounter ? count * 1e9 : 0),
      });
    },
    refused({
      app,
      reason,
      count,
      daysAgo,
    }: {
      app: string;
      reason: string;
      count: number;
      daysAgo: number;
    }) {
      const names = { kind: 'metric', reason, token_id: 't', environment: 'production', app_name: app };
      add('refusals_daily', { day: dayOf(atS - daysAgo * DAY_S), ...names, feature_name: 'f', count });
    },
    instance({ app, id, secondsAgo, firstSecondsAgo = 99 * DAY_S, intervalMs = 60_000, sdk = '' }: Instance) {
      const names = { app_name: app, environment: 'production', instance_id: id, sdk_version: sdk };
      const first = atS - firstSecondsAgo;
      const times = {
        first_seen: first,
        reporting_since: first,
        last_seen: atS - secondsAgo,
        updated_at: atS,
      };
      add('instance_copies', { ...names, interval_ms: intervalMs, ...times });
    },
    async write({ clickhouse }: World): Promise<void> {
      for (const [table, values] of rows) {
        await clickhouse.insert({
          table,
          values,
          format: 'JSONEachRow',
          clickhouse_settings: { async_insert: 0 },
        });
      }
      rows.clear();
    },
  };
}

/** A call of the view at a moment, with the default thresholds. */
export function featureVerdictsAt(atS: number): string {
  return callOf('feature_verdicts_at', atS, FEATURE_THRESHOLDS);
}

export function appVerdictsAt(atS: number): string {
  return callOf('app_verdicts_at', atS, APP_THRESHOLDS);
}

function callOf(
  view: string,
  atS: number,
  thresholds: Record<string, { readonly defaultValue: number }>,
): string {
  const values = Object.entries(thresholds).map(
    ([name, { defaultValue }]) =>
      `${name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)} = ${defaultValue}`,
  );
  return `${view}(at = toDateTime(${atS}, 'UTC'), ${values.join(', ')})`;
}

function dayOf(seconds: number): string {
  return new Date(seconds * 1000).toISOString().slice(0, 10);
}
