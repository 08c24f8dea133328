import type { EvaluationResult } from '#core/counting';
import type { Found } from '../found.ts';
import { type AttributeValue, type Attributes, valueOf } from '../mapping.ts';

/** Reasons for which an evaluation without a boolean value was not enabled, unless the token has others. */
export const NOT_ENABLED_REASONS: readonly string[] = ['default', 'disabled', 'error'];
/** Variants of boolean flags, for senders that leave the value out. */
export const NOT_ENABLED_VARIANTS: ReadonlySet<string> = new Set(['off', 'false', 'disabled']);

/** What the value says, if it is boolean; else the reason, another value or the variant. Without any of them nothing is said. */
export function resultOf({ attributes, body }: Found, isNotEnabledReason: boolean): EvaluationResult {
  const value = saidValue(valueOf(attributes, 'value')) ?? saidValue(body);
  if (typeof value === 'boolean') return value ? 'enabled' : 'disabled';
  if (isNotEnabledReason) return 'disabled';
  if (value !== undefined) return 'enabled';
  const variant = variantOf(attributes);
  if (variant === undefined) return 'unknown';
  return NOT_ENABLED_VARIANTS.has(variant.toLowerCase()) ? 'disabled' : 'enabled';
}

/** Several hooks send all values as JSON, in which nothing is `null`. */
function saidValue(value: AttributeValue): AttributeValue {
  if (typeof value !== 'string' || value.length > LONGEST_WORD) return value;
  const word = value.toLowerCase();
  if (word === 'true' || word === 'false') return word === 'true';
  return word === '' || word === 'null' ? undefined : value;
}

const LONGEST_WORD = 'false'.length;

/** The name of a variant. Senders without names have a number or a boolean. */
function variantOf(attributes: Attributes): string | undefined {
  return nameOf(valueOf(attributes, 'variant'));
}

/** The variant to store. The index that LaunchDarkly sends tells variants apart, but does not say which of them is on. */
export function storedVariantOf(attributes: Attributes): string | undefined {
  return variantOf(attributes) ?? nameOf(valueOf(attributes, 'variationIndex'));
}

function nameOf(value: AttributeValue): string | undefined {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}
