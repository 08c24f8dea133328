import { keyOfSender } from '#core/counting';
import { type Attributes, textOf } from '../mapping.ts';

/** The times of what an instance sent. */
type TimesOfResource = {
  readonly resource: Attributes;
  readonly found: readonly {
    readonly at: number;
    readonly point?: { readonly startedAt: number } | undefined;
  }[];
};

/**
 * The key of the instance that sent a body, if the same bytes can only be a retry; otherwise undefined. One instance sends its evaluations in the
 * order of their times, and intervals of a counter do not overlap. So a body in which an instance has two times cannot come twice. With
 * one time it can: an instance that sends each evaluation by itself may send two in one millisecond.
 */
export function instanceOfBody({
  resources,
}: {
  readonly resources: readonly TimesOfResource[];
}): string | undefined {
  const names = resources.map(({ resource }) => textOf(resource, 'instance'));
  const [first] = names;
  if (first === undefined || names.includes(undefined)) return undefined;
  return hasTwoTimes(resources) ? keyOfSender(`otlp ${first}`) : undefined;
}

/** A collector repeats the resource of an instance for each request that it merged. */
function hasTwoTimes(resources: readonly TimesOfResource[]): boolean {
  const times = new Map<string, number>();
  return resources.some(({ resource, found }) => {
    const instance = processOf(resource);
    return found.some(({ at, point }) => {
      const startedAt = point?.startedAt ?? 0;
      const first = times.get(instance) ?? at;
      if (at !== 0) times.set(instance, first);
      return at !== 0 && (at !== first || (startedAt !== 0 && startedAt < at));
    });
  });
}

/** Ids of instances may be unique only within a service. */
function processOf(resource: Attributes): string {
  return JSON.stringify(
    (['namespace', 'application', 'instance'] as const).map((field) => textOf(resource, field) ?? ''),
  );
}
