import type { UnleashStrategyUse, UnleashVariant } from './shapes.ts';

/** A strategy of a feature in the form in which we store it. */
export function configurationOfStrategy(strategy: UnleashStrategyUse) {
  return {
    id: strategy.id ?? null,
    name: strategy.name,
    title: strategy.title ?? null,
    disabled: strategy.disabled === true,
    parameters: strategy.parameters ?? {},
    constraints: strategy.constraints ?? [],
    segments: strategy.segments ?? [],
    variants: (strategy.variants ?? []).map(configurationOfVariant),
  };
}

/** A variant of a feature or strategy in the form in which we store it. */
export function configurationOfVariant(variant: UnleashVariant) {
  const { name, weight, weightType, stickiness, payload } = variant;
  return { name, weight, weightType, stickiness, payload };
}
