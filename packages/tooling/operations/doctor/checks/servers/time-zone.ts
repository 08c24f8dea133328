import { type Judgement, ok, warn } from '../../finding.ts';

/** `dependent` are the columns, as table.column, whose meaning depends on the time zone of the engine. */
export function judgeTimeZone(zone: string, dependent: readonly string[]): Judgement {
  if (dependent.length === 0) return ok(`The time zone is ${zone}; no table of flagmeter depends on it.`);
  return warn(
    `The time zone is ${zone}, and these columns depend on it: ${dependent.join(', ')}.`,
    'Find out who changed these tables: flagmeter stores times in UTC.',
  );
}
