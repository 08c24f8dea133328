import type { FeatureStrategy } from '../../types.ts';
import { list, say } from '#base/words';
import type { Constraint, Operator } from './constraint.ts';
import { formatShare } from '../format.ts';

/** "25 % by userId", then the other parameters. An empty parameter says nothing. */
export function parametersText(parameters: FeatureStrategy['parameters']): string {
  const { rollout, stickiness, groupId: _, ...others } = parameters;
  const share =
    rollout === undefined ? [] : [say`${rollout} %${stickiness === undefined ? '' : ` by ${stickiness}`}`];
  const rest = Object.entries(others).flatMap(([key, value]) =>
    value === '' ? [] : [say`${key}: ${value}`],
  );
  return [...share, ...rest].join(', ');
}

/** "only if country is one of DE, FR" */
export function constraintText({
  contextName,
  operator,
  values = [],
  value,
  inverted,
  caseInsensitive,
}: Constraint): string {
  const not = inverted === true ? 'not: ' : '';
  const ending = caseInsensitive === true ? ' (any case)' : '';
  const compared = value ?? list(values);
  return say`only if ${not}${contextName} ${OPERATOR_WORDS[operator]} ${compared}${ending}`;
}

/** "red 50 %, blue 50 %" */
export function variantsText(variants: FeatureStrategy['variants']): string {
  return variants.map(({ name, weight }) => say`${name} ${formatShare(weight, 1000)}`).join(', ');
}

/** All operators of the API, in words. */
export const OPERATOR_WORDS: Readonly<Record<Operator, string>> = {
  IN: 'is one of',
  NOT_IN: 'is none of',
  STR_ENDS_WITH: 'ends with',
  STR_STARTS_WITH: 'starts with',
  STR_CONTAINS: 'contains',
  NUM_EQ: '=',
  NUM_GT: '>',
  NUM_GTE: '≥',
  NUM_LT: '<',
  NUM_LTE: '≤',
  DATE_AFTER: 'is after',
  DATE_BEFORE: 'is before',
  SEMVER_EQ: 'is version',
  SEMVER_GT: 'is a version after',
  SEMVER_GTE: 'is at least version',
  SEMVER_LT: 'is a version before',
  SEMVER_LTE: 'is at most version',
  REGEX: 'matches',
};

/** A strategy in lines, to compare two of them. Absent members have their defaults. */
export function strategyLines(strategy: Partial<FeatureStrategy>): string[] {
  const { name = '', title, disabled, parameters, constraints, segments, variants } = strategy;
  return [
    title ?? name,
    ...(disabled === true ? ['disabled'] : []),
    parametersText(parameters ?? {}),
    ...(constraints ?? []).map(constraintText),
    (segments ?? []).length > 0 ? `segments ${(segments ?? []).join(', ')}` : '',
    (variants ?? []).length > 0 ? `variants ${variantsText(variants ?? [])}` : '',
  ].filter((line) => line !== '');
}
