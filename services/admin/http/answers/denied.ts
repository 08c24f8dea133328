import { HttpProblem } from '#base/http';
import type { Denial } from '../../denial.ts';

const STATUS = {
  'not valid': 400,
  'not authenticated': 401,
  'not permitted': 403,
  'not found': 404,
  outdated: 412,
} as const;

/** The answer to a denial. */
export function problemOf({ kind, message, details }: Denial): HttpProblem {
  if (kind in STATUS)
    return new HttpProblem(STATUS[kind as keyof typeof STATUS], message, details && { details });
  const conflict = new HttpProblem(409, message);
  conflict.name = kind;
  return conflict;
}
