import { type BlockImpact, DEFAULT_REFUSAL_LIMITS, ImpactSums, readImpact } from '#core/counting';
import { SAMPLE_METRICS, type SampleMetric, type Times } from '../../shop/impact.ts';
import { type Random, createRandom, seedOf } from '../random.ts';
import { type Evaluations, type Line, evaluationsOf, hoursOf, linesOf } from './traffic.ts';

/** One evaluation in so many is measured. */
const MEASURED = 4;

/** The samples of some days (UTC), in the hours that had begun when the sample was made. */
export function impactOf(days: readonly number[], madeAt: number): BlockImpact {
  const sums = new ImpactSums();
  const measured = linesOf(madeAt).flatMap((line) =>
    SAMPLE_METRICS.filter(
      ({ app, features }) =>
        line.environment === 'production' && line.app === app && features[line.feature] !== undefined,
    ).map((metric) => ({ line, metric })),
  );
  for (const hourMs of hoursOf(days, madeAt))
    for (const { line, metric } of measured) {
      const evaluations = evaluationsOf(line, { hourMs, madeAt });
      if (evaluations === undefined) continue;
      const member = [measure(metric, { line, evaluations, seed: `${hourMs - madeAt}` })];
      const options = { receivedAt: hourMs, allowedEnvironment: '*', limits: DEFAULT_REFUSAL_LIMITS };
      sums.add(readImpact(member, {}, options), hourMs);
    }
  return sums.result();
}

type Hour = { readonly line: Line; readonly evaluations: Evaluations; readonly seed: string };

/** In the form of SDKs, with the arm of one feature. */
function measure(metric: SampleMetric, { line, evaluations, seed }: Hour): object {
  const { feature, app: appName, environment } = line;
  const { name, help, type } = metric;
  const random = createRandom(seedOf(`${name} ${feature} ${seed}`));
  const valueOf = valuesOf(metric, feature);
  const arms = [['enabled', evaluations.yes], ['disabled', evaluations.no], ...evaluations.variants] as const;
  return {
    name,
    help,
    type,
    samples: arms.flatMap(([arm, exposures]) => {
      const value = valueOf(arm, exposures, random);
      return value === undefined ? [] : [{ ...value, labels: { appName, environment, [feature]: arm } }];
    }),
  };
}

type ValueOf = (arm: string, exposures: number, random: Random) => object | undefined;

function valuesOf({ type, features }: SampleMetric, feature: string): ValueOf {
  if (type === 'counter') {
    const rates = features[feature];
    return (arm, exposures, random) => {
      const rate = rates?.[arm];
      return rate === undefined ? undefined : { value: eventsOf(exposures * rate, random) };
    };
  }
  const times = features[feature];
  return (arm, exposures, random) => {
    const ofArm = times?.[arm];
    return ofArm === undefined ? undefined : observed(eventsOf(exposures / MEASURED, random), ofArm);
  };
}

function observed(count: number, { upTo, mean }: Times): object {
  const buckets = Object.entries(upTo).map(([le, share]) => ({
    le: Number(le),
    count: Math.round(count * share),
  }));
  return { count, sum: count * mean, buckets: [...buckets, { le: '+Inf', count }] };
}

/** How often independent events happened that happen so often on average. */
function eventsOf(mean: number, random: Random): number {
  return Math.max(0, Math.round(mean + Math.sqrt(mean) * random.normal()));
}
