import type { FeatureStrategy } from '../../../../types.ts';

export type Variant = FeatureStrategy['variants'][number];

/** The sum of the weights of a strategy, which are thousandths. */
export const WHOLE = 1000;

/** The same variants with weights that differ by one thousandth at most and add up. */
export function equalWeights(variants: readonly Variant[]): Variant[] {
  const each = Math.floor(WHOLE / variants.length);
  const rest = WHOLE - each * variants.length;
  return variants.map((variant, index) => ({ ...variant, weight: each + (index < rest ? 1 : 0) }));
}
