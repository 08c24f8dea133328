import { ENVELOPES, type Envelope } from './envelopes.ts';
import type { BodyOptions, ZooPath } from './paths.ts';
import { type BodyPlace, bodyWith, nameOfPlace } from './places.ts';
import { FEW_VALUES, NUMBERS_OF_SAMPLES, RARE_VALUES, VALUES, timesAround } from './values.ts';

/** A body with one value in one place, or sent in another way, and everything else right. */
export type ZooCase = {
  readonly path: ZooPath;
  /** Such as `metrics[].yes`, or what is different about the way. */
  readonly place: string;
  /** Such as `a number as text`. */
  readonly kind: string;
  readonly value: unknown;
  /** The name of its application, and of its impact metrics. No other case has it. */
  readonly app: string;
  readonly body: unknown;
  readonly envelope?: Envelope;
  /** Whether it is among those that the document lists. */
  readonly isListed: boolean;
};

type Variation = Omit<ZooCase, 'app' | 'body'> & {
  readonly impactType: BodyOptions['impactType'];
  readonly bodyOf: (rightBody: object) => unknown;
};

const HISTOGRAM = /^(count|sum|buckets)$/;
const NUMBER_OF_SAMPLE = /^(value|count|sum|le)$/;
/** What describes an SDK, and samples: these places share their rules. */
const ALIKE =
  /^(impactMetrics|seenTokens|connectVia|projects|platform\w+|yggdrasilVersion|specVersion|sdk\w+)$/;

/**
 * The cases of all paths: each place with each kind of value, and a right body in each envelope. Places that are alike, and browsers,
 * whose bodies both read like those of servers, have only a few kinds, unless all are wanted.
 */
export function zooCases(paths: readonly ZooPath[], now: number, areAllWanted: boolean): ZooCase[] {
  const variations = paths.flatMap((path) => [
    ...path.places.flatMap((place) => valuesAt(path, place, now)),
    ...otherEnvelopes(path),
  ]);
  const cases: ZooCase[] = [];
  for (const { impactType, bodyOf, ...variation } of variations) {
    if (!variation.isListed && !areAllWanted) continue;
    const app = `zoo-${cases.length}`;
    const body = bodyOf(variation.path.bodyOf({ appName: app, now, impactType }));
    if (body !== undefined) cases.push({ ...variation, app, body });
  }
  return cases;
}

function valuesAt(path: ZooPath, { steps, isTime }: BodyPlace, now: number): Variation[] {
  const names = steps.map(String);
  const impactType = names.some((name) => HISTOGRAM.test(name)) ? 'histogram' : 'counter';
  const ofBrowsers = path.sentBy === 'browsers';
  const isAlike = ofBrowsers || names.some((name) => ALIKE.test(name));
  const isNumber = !ofBrowsers && names[0] === 'impactMetrics' && NUMBER_OF_SAMPLE.test(names.at(-1) ?? '');
  const values = {
    ...VALUES,
    ...(isTime && !isAlike && timesAround(now)),
    ...(isNumber && NUMBERS_OF_SAMPLES),
  };
  return Object.entries(values).map(([kind, value]) => ({
    path,
    place: nameOfPlace(steps),
    kind,
    value,
    impactType,
    isListed:
      !RARE_VALUES.has(kind) &&
      (!isAlike || FEW_VALUES.has(kind) || (isNumber && kind in NUMBERS_OF_SAMPLES)),
    bodyOf: (body) => bodyWith(body, steps, value),
  }));
}

function otherEnvelopes(path: ZooPath): Variation[] {
  return Object.entries(ENVELOPES).flatMap(([place, envelopes]) =>
    Object.entries(envelopes).map(([kind, envelope]): Variation => ({
      path,
      place,
      kind,
      value: undefined,
      envelope,
      impactType: 'counter',
      isListed: true,
      bodyOf: (body) => body,
    })),
  );
}

/** The text that Unleash makes of a value where a text belongs. */
export function textOfValue(value: unknown): string {
  const isScalar = typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
  return isScalar ? String(value) : '';
}
