import { splitUsage, type UsageAnswer } from '../../../../state/usage.ts';
import { lastHourOf } from '../usage/last-hour.ts';

/** Who evaluated a flag in the last complete hour. */
export type Evaluators = {
  readonly evaluations: number;
  /** The most first. */
  readonly applications: readonly { readonly name: string; readonly evaluations: number }[];
  /** The evaluations of all further applications. */
  readonly others: number;
};

/** From hours by application. Undefined if the last hour is unknown. */
export function evaluatorsIn(answer: UsageAnswer): Evaluators | undefined {
  const usage = splitUsage(answer, 0);
  const hours = usage.series.map(({ group }) => ({
    name: group,
    evaluations: lastHourOf(usage, group) ?? 0,
  }));
  if (lastHourOf(usage, '') === undefined) return undefined;
  const applications = hours
    .flatMap(({ name, evaluations }) => (name === null || evaluations === 0 ? [] : [{ name, evaluations }]))
    .sort((one, other) => other.evaluations - one.evaluations);
  return {
    evaluations: hours.reduce((sum, { evaluations }) => sum + evaluations, 0),
    applications,
    others: hours.find(({ name }) => name === null)?.evaluations ?? 0,
  };
}
