import {
  type AggregateOptions,
  type AggregatedEvaluations,
  type KnownSums,
  StepLength,
  type Steps,
  createKnownCounting,
} from '#core/counting';
import { Unclear } from '../found.ts';
import type { EvaluationScope } from '../interpreting/evaluations.ts';
import type { Attributes } from '../mapping.ts';
import type { KnownOfToken, KnownPoints } from './known-points.ts';
import { OTHER_FORM, PointCounts, type PointCountsOptions, type PointTimes } from './point-counts.ts';

export type KnownOptions = AggregateOptions & { readonly scope: EvaluationScope & { readonly id: string } };

/** What `FoundInBody` has of a body whose evaluations are counted already. */
export type KnownFound = {
  readonly resources: { readonly resource: Attributes; readonly found: PointTimes }[];
  /** Metrics without evaluations. */
  ignored: number;
  readonly unclear: Unclear;
};

export type KnownBody = { readonly counted: AggregatedEvaluations; readonly found: KnownFound };

export type HowKnown = {
  /** How many points of a body may say something new, and how many resources may have points: both take long. */
  readonly mostNew: number;
  readonly mostResources: number;
  /** Where the counts are added up. */
  readonly sums: KnownSums;
};

/** What a body is counted with, in either encoding. */
export type Counting = {
  readonly length: StepLength;
  readonly points: PointCounts;
  readonly ofToken: KnownOfToken;
  readonly found: KnownFound;
  readonly mostResources: number;
};

type Reader = Pick<PointCountsOptions, 'attributesIn' | 'seriesIn'> & {
  readonly body: Uint8Array;
  /** Reads the whole body. Throws if it has another form. */
  readonly readAll: (counting: Counting) => Steps<void>;
};

/** Undefined if the general path has to decide. Names of a body that is not read to its end are taken back. */
export type CountBody = (
  reader: Reader,
  options: KnownOptions,
  how: HowKnown,
) => Steps<KnownBody | undefined>;

export function createBodyCounting(known: KnownPoints): CountBody {
  const begin = createKnownCounting();
  return function* countBody({ body, attributesIn, seriesIn, readAll }, options, how) {
    const { sums, mostNew, mostResources } = how;
    const { scope } = options;
    const counts = begin(options, sums);
    const ofToken = known.of(scope.id, scope.notEnabledReasons);
    const points = new PointCounts(body, { counts, scope, attributesIn, seriesIn, mostNew });
    const found: KnownFound = { resources: [], ignored: 0, unclear: new Unclear() };
    try {
      yield* readAll({ length: new StepLength(), points, ofToken, found, mostResources });
      return { counted: counts.end(), found };
    } catch {
      // Nothing but bytes was read, and whatever is wrong with them, the general path finds it too.
      return undefined;
    } finally {
      counts.giveUpUnlessEnded();
    }
  };
}

/** Only those with evaluations are listed. */
export function addResource(
  { resources }: KnownFound,
  one: KnownFound['resources'][number],
  most: number,
): void {
  if (one.found.length === 0) return;
  if (resources.length === most) throw OTHER_FORM;
  resources.push(one);
}
