import type { FeatureStrategy } from '../../types.ts';

export type Constraint = FeatureStrategy['constraints'][number];
export type Operator = Constraint['operator'];

/** Whether an operator compares with several values. The others compare with one. */
export function hasManyValues(operator: Operator): boolean {
  return operator === 'IN' || operator === 'NOT_IN' || operator.startsWith('STR_');
}

/** One value a line, or the only value. */
export function textOfValues({ operator, values = [], value = '' }: Constraint): string {
  return hasManyValues(operator) ? values.join('\n') : value;
}

/** The constraint with the values of a text. Empty lines are no values. */
export function withText(constraint: Constraint, text: string): Constraint {
  const { values: _, value: __, ...rest } = constraint;
  return hasManyValues(constraint.operator)
    ? { ...rest, values: text.split('\n').filter((line) => line.trim() !== '') }
    : { ...rest, value: text };
}

/** The constraint with another operator, and without the options that this operator does not have. */
export function withOperator(constraint: Constraint, operator: Operator): Constraint {
  const { inverted, caseInsensitive, ...rest } = constraint;
  const options = {
    ...(inverted === true && operator !== 'REGEX' ? { inverted } : {}),
    ...(caseInsensitive === true && operator.startsWith('STR_') ? { caseInsensitive } : {}),
  };
  if (hasManyValues(operator) === hasManyValues(constraint.operator))
    return { ...rest, ...options, operator };
  const text = hasManyValues(operator) ? (constraint.value ?? '') : (constraint.values?.[0] ?? '');
  return withText({ ...rest, ...options, operator }, text);
}
