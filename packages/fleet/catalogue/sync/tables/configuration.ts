/** A feature in an environment as Postgres has it. Imports check no strategies, so any JSON is possible in them. */
export type StoredConfiguration = {
  readonly enabled: boolean;
  readonly strategies: readonly unknown[];
  readonly variants: readonly unknown[];
};

export type Configuration = {
  /** JSON. */
  readonly strategies: string;
  readonly rollout_percent: number | null;
  /** JSON. */
  readonly constraints: string;
  /** Weights in thousandths. */
  readonly variants: Readonly<Record<string, number>>;
};

/** What analysts compare with the counts: the share and the weights that hold if only chance decides. Pure. */
export function configurationOf({ enabled, strategies, variants }: StoredConfiguration): Configuration {
  const active = strategies.map(objectOf).filter(({ disabled }) => disabled !== true);
  return {
    strategies: JSON.stringify(strategies),
    rollout_percent: enabled ? rolloutOf(active, strategies.length) : 0,
    constraints: JSON.stringify(active.flatMap(({ constraints }) => listOf(constraints))),
    variants: variantsOf(active, variants),
  };
}

type Fields = Readonly<Record<string, unknown>>;

/**
 * The share in percent. A feature without strategies is on for everybody. A feature is on if one strategy is, so strategies of
 * the same group and stickiness overlap, and others are independent. Null if constraints, segments or unknown strategies decide.
 */
function rolloutOf(active: readonly Fields[], strategyCount: number): number | null {
  if (strategyCount === 0) return 100;
  const shares = new Map<string, number>();
  for (const [index, strategy] of active.entries()) {
    const share = shareOf(strategy);
    if (share === undefined) continue;
    const { groupId, stickiness } = objectOf(strategy['parameters']);
    const group = JSON.stringify(stickiness === 'random' ? index : [groupId, stickiness]);
    shares.set(group, Math.max(share, shares.get(group) ?? 0));
  }
  const off = [...shares.values()].reduce((product, share) => product * (1 - share), 1);
  const isCertain = off === 0 || (active.length > 0 && active.every((one) => shareOf(one) !== undefined));
  return isCertain ? Math.round((1 - off) * 1e6) / 1e4 : null;
}

/** From 0 to 1; undefined if more than chance decides. */
function shareOf({ name, parameters, constraints, segments }: Fields): number | undefined {
  if (listOf(constraints).length > 0 || listOf(segments).length > 0) return undefined;
  if (name === 'default') return 1;
  const { rollout } = objectOf(parameters);
  const percent = name === 'flexibleRollout' && rollout !== '' ? Number(rollout) : NaN;
  return percent >= 0 && percent <= 100 ? percent / 100 : undefined;
}

/** Variants of strategies replace those of the environment. Empty if strategies have different ones. */
function variantsOf(active: readonly Fields[], ofEnvironment: readonly unknown[]): Record<string, number> {
  const [first = [], ...others] = active.map(({ variants }) => listOf(variants));
  const isSame = others.every(
    (other) => JSON.stringify(weightsOf(other)) === JSON.stringify(weightsOf(first)),
  );
  if (!isSame) return {};
  return Object.fromEntries(weightsOf(first.length > 0 ? first : ofEnvironment));
}

function weightsOf(variants: readonly unknown[]): [string, number][] {
  return variants
    .map(objectOf)
    .map(({ name, weight }): [string, number] => [String(name), toWeight(weight)])
    .sort(([one], [other]) => (one < other ? -1 : 1));
}

/** A number that ClickHouse accepts, because one rejected row would stop the sync. */
function toWeight(weight: unknown): number {
  return typeof weight === 'number' ? Math.min(Math.max(Math.round(weight), 0), 1_000_000) : 0;
}

function objectOf(value: unknown): Fields {
  return typeof value === 'object' && value !== null ? { ...value } : {};
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
