import type { FoundInBody, FoundOfResource } from './found.ts';
import { textOf } from './mapping.ts';

/**
 * The instance that sent a body, if the same bytes can only be a retry; otherwise undefined. One instance sends its evaluations in the
 * order of their times, and intervals of a counter do not overlap. So a body in which an instance has two times cannot come twice. With
 * one time it can: an instance that sends each evaluation by itself may send two in one millisecond.
 */
export function instanceOfBody({ resources }: Pick<FoundInBody, 'resources'>): string | undefined {
  const names = resources.map(({ resource }) => textOf(resource, 'instance'));
  const [first] = names;
  if (first === undefined || names.includes(undefined)) return undefined;
  return resources.some(hasTwoTimes) ? `otlp ${first}` : undefined;
}

function hasTwoTimes({ found }: FoundOfResource): boolean {
  const first = found[0]?.at ?? 0;
  return found.some(({ at, point }) => {
    const startedAt = point?.startedAt ?? 0;
    return at !== 0 && ((first !== 0 && at !== first) || (startedAt !== 0 && startedAt < at));
  });
}
