import type { SampleFeature } from '../shop/feature.ts';
import { PEOPLE, type Person } from './people.ts';
import { seedOf } from './random.ts';
import { storyOf } from './story.ts';

/** An event before it has a uid. */
export type SampleEvent = {
  readonly type: string;
  readonly created_at: string;
  readonly created_by: Person;
  readonly project: string;
  readonly environment?: string;
  readonly feature_name?: string;
  readonly group_type?: string;
  readonly group_id?: string;
  readonly data?: object;
  readonly pre_data?: object;
};

/** The strategy of a feature, in the form of Unleash. */
export function strategyOf({ name, variants = {} }: SampleFeature, percent: number): object {
  return {
    name: 'flexibleRollout',
    constraints: [],
    parameters: { rollout: String(percent), stickiness: 'default', groupId: name },
    variants: Object.entries(variants).map(([variant, weight]) => ({
      name: variant,
      weight,
      weightType: 'fix',
      stickiness: 'default',
    })),
  };
}

/** The events that a team would have caused with this feature, unsorted. */
export function eventsOf(feature: SampleFeature, project: string, madeAt: number): SampleEvent[] {
  const { createdAt, steps, outage, offAt, staleAt, archivedAt } = storyOf(feature, madeAt);
  const { name, type, description } = feature;
  const event = (kind: string, at: number | undefined, rest: object = {}): SampleEvent[] => {
    if (at === undefined) return [];
    const created_by = PEOPLE[seedOf(`${name} ${kind} ${at}`) % PEOPLE.length] ?? PEOPLE[0];
    const created_at = new Date(at).toISOString();
    return [{ type: kind, created_at, created_by, project, feature_name: name, ...rest }];
  };
  const production = { environment: 'production' } as const;
  const widenings = steps.slice(1).flatMap(({ at, percent }, index) =>
    event('feature-strategy-update', at, {
      ...production,
      pre_data: strategyOf(feature, steps[index]?.percent ?? 0),
      data: strategyOf(feature, percent),
    }),
  );
  const first = steps[0];
  return [
    ...event('feature-created', createdAt, { data: { name, project, type, description } }),
    ...event('feature-strategy-add', first?.at, {
      ...production,
      data: strategyOf(feature, first?.percent ?? 0),
    }),
    ...event('feature-environment-enabled', first === undefined ? undefined : first.at + 60_000, production),
    ...widenings,
    ...event('feature-environment-disabled', outage?.from, production),
    ...event('feature-environment-enabled', outage?.to, production),
    ...event('feature-environment-disabled', offAt, production),
    ...event('feature-stale-on', staleAt, { pre_data: { stale: false }, data: { stale: true } }),
    ...event('feature-archived', archivedAt),
  ];
}
