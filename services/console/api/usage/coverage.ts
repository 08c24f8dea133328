import { pathTo } from '../../state/paths/path.ts';
import type { Coverage } from '../../types.ts';
import { useMayReadAll } from '../caller.ts';
import { useResource } from '../requests/resource.ts';

const EVERY_MS = 60_000;

/** The time of the instances of an application, over all environments. */
export type Covered = { readonly instances: number; readonly covered: number; readonly whole: number };

export type Coverages = {
  /** Undefined if no SDK of the application posts directly, or if its coverage is not among those that were read. */
  of(appName: string): Covered | undefined;
  readonly read: number;
  readonly total: number;
};

/** Reads the coverage of all applications, those with most time without counts first, or of one. */
export function useCoverage(appName?: string): Coverages {
  const query = new URLSearchParams(appName === undefined ? {} : { appName });
  const path = pathTo`api/admin/metrics/coverage?${query}`;
  const { data } = useResource<Coverage>(useMayReadAll() === true ? path : undefined, { everyMs: EVERY_MS });
  return {
    of(name) {
      const found = data?.coverage.filter((one) => one.appName === name) ?? [];
      if (found.length === 0) return undefined;
      const sumOf = (member: 'instances' | 'coveredSeconds' | 'missingSeconds') =>
        found.reduce((sum, one) => sum + one[member], 0);
      const covered = sumOf('coveredSeconds');
      return { instances: sumOf('instances'), covered, whole: covered + sumOf('missingSeconds') };
    },
    read: data?.coverage.length ?? 0,
    total: data?.total ?? 0,
  };
}
