import { useCallback } from 'preact/hooks';
import { strategiesPath } from '../../state/paths/feature-paths.ts';
import { pathTo } from '../../state/paths/path.ts';
import type { Answer, Api } from '../requests/client.ts';
import { type Read, type Resource, useReading } from '../requests/resource.ts';
import type { Feature, FeatureStrategy } from '../../types.ts';

const EVERY_MS = 30_000;

type Found = { readonly feature: Feature | undefined };

/** A feature by its name alone, active or archived. */
export function useFeature(name: string): Resource<Found> {
  const read = useCallback<Read<Found>>(
    async (api, signal) => {
      const answer = await api.get<Feature>(pathTo`api/admin/features/${name}`, signal);
      if (answer.problem?.status === 404) return { body: { feature: undefined } };
      return answer.problem === undefined ? { body: { feature: answer.body } } : answer;
    },
    [name],
  );
  return useReading(`feature ${name}`, read, { everyMs: EVERY_MS });
}

export type StrategiesOf = {
  readonly environment: string;
  readonly enabled: boolean;
  readonly strategies: readonly FeatureStrategy[];
  /** Their version, so that a change does not overwrite somebody else's. */
  readonly etag: string | undefined;
};

/** The strategies of a feature in each of its environments. */
export function useStrategies(feature: Feature | undefined): Resource<readonly StrategiesOf[]> {
  const key = feature && `strategies ${feature.project} ${feature.name}`;
  const environments = JSON.stringify(feature?.environments);
  const read = useCallback<Read<readonly StrategiesOf[]>>(
    (api, signal) =>
      feature === undefined ? Promise.resolve({ body: [] }) : readStrategies(api, feature, signal),
    [key, environments],
  );
  return useReading(key, read, { everyMs: EVERY_MS });
}

async function readStrategies(
  api: Api,
  { project, name, environments }: Feature,
  signal: AbortSignal,
): Promise<Answer<readonly StrategiesOf[]>> {
  const all: StrategiesOf[] = [];
  for (const { name: environment, enabled } of environments) {
    const path = strategiesPath({ project, name }, environment);
    const answer = await api.get<readonly FeatureStrategy[]>(path, signal);
    if (answer.problem !== undefined) return answer;
    all.push({ environment, enabled, strategies: answer.body, etag: answer.etag });
  }
  return { body: all };
}
