import { FlagmeterError } from '#base/runtime';
import { type UnleashExport, configurationOfStrategy, configurationOfVariant, tagsOf } from '#unleash/client';
import type { Exchange } from './schema.ts';

/** `omitted` has the number of items that our document cannot hold, by the member of the file. */
export type Conversion = {
  readonly document: Exchange;
  readonly omitted: Readonly<Record<string, number>>;
};

/**
 * Converts an export file of Unleash to our document. The file names no types of environments, and no dates: an archived
 * feature gets the date `now`. Throws a FlagmeterError if the file has several environments, because its strategies do not
 * say to which one they belong.
 */
export function convertUnleashExport(file: UnleashExport, now: Date): Conversion {
  const environments = [...new Set(file.featureEnvironments.map(({ environment }) => environment))];
  if (environments.length > 1)
    throw new FlagmeterError(
      'document',
      `The file has ${environments.length} environments. Export each environment of Unleash to a separate file.`,
    );
  const features = new Set(file.features.map(({ name }) => name));
  const states = file.featureEnvironments.filter(({ featureName }) => features.has(featureName));
  const strategies = strategiesByFeature(file);
  const tags = tagsByFeature(file);
  const document = {
    format: 'flagmeter',
    version: 1,
    projects: [...new Set(file.features.map(({ project }) => project))].map((id) => ({ id, name: id })),
    environments: environments.map((name) => ({ name, type: 'unknown' })),
    features: file.features.map((feature) => featureOf(feature, tags.get(feature.name) ?? [], now)),
    feature_environments: states.map(({ featureName, environment, enabled, variants = [] }) => ({
      feature_name: featureName,
      environment,
      enabled,
      strategies: (strategies.get(featureName) ?? []).map(configurationOfStrategy),
      variants: variants.map(configurationOfVariant),
    })),
  } as const;
  const withState = new Set(states.map(({ featureName }) => featureName));
  const stateless = file.featureStrategies.filter(({ featureName }) => !withState.has(featureName));
  return {
    document,
    omitted: {
      featureEnvironments: file.featureEnvironments.length - states.length,
      featureStrategies: stateless.length,
      ...lengthsOf(file),
    },
  };
}

type Strategy = UnleashExport['featureStrategies'][number];

/** The strategies of each feature in their order. */
function strategiesByFeature({ featureStrategies }: UnleashExport): ReadonlyMap<string, readonly Strategy[]> {
  const byFeature = new Map<string, Strategy[]>();
  const inOrder = [...featureStrategies].sort((a, b) => (a.sortOrder ?? 0) - (b.sortOrder ?? 0));
  for (const strategy of inOrder) {
    const others = byFeature.get(strategy.featureName);
    if (others === undefined) byFeature.set(strategy.featureName, [strategy]);
    else others.push(strategy);
  }
  return byFeature;
}

type Tag = { readonly type: string; readonly value: string };

function tagsByFeature({ featureTags = [] }: UnleashExport): ReadonlyMap<string, readonly Tag[]> {
  const byFeature = new Map<string, Tag[]>();
  for (const { featureName, tagType, tagValue } of featureTags) {
    const tag = { type: tagType, value: tagValue };
    const others = byFeature.get(featureName);
    if (others === undefined) byFeature.set(featureName, [tag]);
    else others.push(tag);
  }
  return byFeature;
}

function featureOf(feature: UnleashExport['features'][number], tags: readonly Tag[], now: Date) {
  return {
    name: feature.name,
    project: feature.project,
    type: feature.type ?? 'release',
    description: feature.description ?? null,
    stale: feature.stale === true,
    tags: tagsOf(tags),
    impression_data: feature.impressionData === true,
    archived_at: feature.archived === true ? now.toISOString() : null,
  };
}

function lengthsOf(file: UnleashExport): Record<string, number> {
  const { contextFields, dependencies, links, segments, tagTypes } = file;
  const lists = Object.entries({ contextFields, dependencies, links, segments, tagTypes });
  return Object.fromEntries(lists.map(([member, list = []]) => [member, list.length]));
}
