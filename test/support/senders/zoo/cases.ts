import type { ZooPath } from './paths.ts';
import { bodyWith, nameOfPlace } from './places.ts';
import { FEW_VALUES, VALUES, timesAround } from './values.ts';

/** A body with one value in one place, and everything else right. */
export type ZooCase = {
  readonly path: ZooPath;
  /** Such as `metrics[].yes`. */
  readonly place: string;
  /** Such as `a number as text`. */
  readonly kind: string;
  readonly value: unknown;
  /** The name of its application, and of its impact metrics. No other case has it. */
  readonly app: string;
  readonly body: unknown;
  /** Whether it is among those that the document lists. */
  readonly isListed: boolean;
};

const HISTOGRAM = /^(count|sum|buckets)$/;
/** What describes an SDK, and samples: these places share their rules. */
const ALIKE =
  /^(impactMetrics|seenTokens|connectVia|projects|platform\w+|yggdrasilVersion|specVersion|sdk\w+)$/;

/**
 * The cases of all paths, each place with each kind of value. Places that are alike, and browsers, whose bodies both read like those of
 * servers, have only a few kinds, unless all are wanted.
 */
export function zooCases(paths: readonly ZooPath[], now: number, areAllWanted: boolean): ZooCase[] {
  const times = timesAround(now);
  const cases: ZooCase[] = [];
  for (const path of paths)
    for (const { steps, isTime } of path.places) {
      const isHistogram = steps.some((step) => HISTOGRAM.test(String(step)));
      const impactType = isHistogram ? 'histogram' : 'counter';
      const isAlike = path.sentBy === 'browsers' || steps.some((step) => ALIKE.test(String(step)));
      const values = { ...VALUES, ...(isTime && !isAlike && times) };
      for (const [kind, value] of Object.entries(values)) {
        const isListed = !isAlike || FEW_VALUES.has(kind);
        if (!isListed && !areAllWanted) continue;
        const app = `zoo-${cases.length}`;
        const body = bodyWith(path.bodyOf({ appName: app, now, impactType }), steps, value);
        const place = nameOfPlace(steps);
        if (body !== undefined) cases.push({ path, place, kind, value, app, body, isListed });
      }
    }
  return cases;
}

/** The text that Unleash makes of a value where a text belongs. */
export function textOfValue(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : '';
}
