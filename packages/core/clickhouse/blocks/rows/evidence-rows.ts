import { startOfHourMs } from '#base/schema';
import type { Block } from '#core/counting';
import { lineOf, toUInt64 } from './row-values.ts';

/** The rows of what trusted tokens sent. They have no markers, because nothing is proved by them. */
export function* evidenceLines({ evidence }: Block): Generator<string> {
  for (const { token, feature, environment, app, hour, arm, metric, ...sums } of evidence)
    yield lineOf({
      kind: 'evidence',
      feature_name: feature,
      app_name: app,
      environment,
      hour: startOfHourMs(hour) / 1000,
      evidence: [
        {
          token_id: token,
          arm,
          metric_name: metric?.name ?? '',
          metric_type: metric?.type ?? '',
          exposures: sums.exposures,
          total: sums.total.toString(),
          observations: toUInt64(sums.observations),
          bucket_bounds: [...sums.buckets.keys()],
          bucket_counts: Array.from(sums.buckets.values(), toUInt64),
        },
      ],
    });
}
