import { significanceWords } from '../../../../state/sentences/index.ts';
import { sumOf } from '../../../../state/chart/counts.ts';
import { chiSquareP } from './significance.ts';
import type { UsageSeries } from '../../../../state/usage.ts';

/** A variant as it was served, and as it is configured. */
export type VariantRow = {
  /** Null: all variants that have no row of their own. */
  readonly name: string | null;
  readonly served: number;
  /** In thousandths; undefined if it is not configured, or if strategies disagree. */
  readonly weight: number | undefined;
};

/** The variants of a strategy, or as much of it as is needed here. */
type Weighted = {
  readonly disabled?: boolean;
  readonly variants?: readonly { readonly name: string; readonly weight: number }[];
};

export type Weights = ReadonlyMap<string, number> | 'none' | 'several';

/** The weights that all strategies with variants agree on. */
export function weightsOf(strategies: readonly Weighted[]): Weights {
  const lists = strategies
    .filter(({ disabled, variants = [] }) => disabled !== true && variants.length > 0)
    .map(({ variants = [] }) =>
      variants
        .map(({ name, weight }) => [name, weight] as const)
        .sort(([one], [other]) => (one < other ? -1 : 1)),
    );
  const [first] = lists;
  if (first === undefined) return 'none';
  const isSame = lists.every((list) => JSON.stringify(list) === JSON.stringify(first));
  return isSame ? new Map(first) : 'several';
}

/** Configured variants, also those that were never served, then the others. */
export function variantRows(series: readonly UsageSeries[], weights: Weights): VariantRow[] {
  const known = typeof weights === 'string' ? new Map<string, number>() : weights;
  const served = series.map(({ group, served: counts }) => ({ name: group, served: sumOf(counts) ?? 0 }));
  const configured = [...known].map(([name, weight]) => ({
    name,
    weight,
    served: served.find((row) => row.name === name)?.served ?? 0,
  }));
  // Some have counts only in the window before.
  const others = served.filter(({ name, served: count }) => count > 0 && (name === null || !known.has(name)));
  return [...configured, ...others.map((row) => ({ ...row, weight: undefined }))];
}

/** "as configured" or "differs", for the configured variants; undefined if that cannot be said. */
export function noteOf(rows: readonly VariantRow[]): string | undefined {
  const configured = rows.filter(({ weight }) => weight !== undefined);
  const p = chiSquareP(
    configured.map(({ served }) => served),
    configured.map(({ weight = 0 }) => weight),
  );
  return p === undefined ? undefined : significanceWords(p);
}
