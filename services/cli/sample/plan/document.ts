import { SAMPLE_ENVIRONMENTS } from '../shop/applications.ts';
import type { SampleFeature } from '../shop/feature.ts';
import { SAMPLE_FEATURES, SAMPLE_MARK, SAMPLE_PROJECTS } from '../shop/features.ts';
import { type SampleRequest, changeRequestsOf, openingEventsOf } from './change-requests.ts';
import { eventsOf, strategyOf } from './events.ts';
import { usersOf } from './people.ts';
import { configuredAt, storyOf } from './story.ts';
import { uidIn } from './uid.ts';

/** The part of the sample in Postgres, as a document that `flagmeter import` also reads. */
export type SampleDocument = {
  readonly format: 'flagmeter';
  readonly version: 1;
  readonly users: readonly object[];
  readonly projects: readonly object[];
  readonly features: readonly object[];
  readonly feature_environments: readonly object[];
  readonly change_request_settings: readonly object[];
  readonly change_requests: readonly SampleRequest[];
  readonly events: readonly object[];
};

const GUARD = { direction: 'up', threshold: 0, above: null, turnOff: [] } as const;
/** Rollout outside production, in percent. */
const ROLLOUT_ELSEWHERE = 90;

/** The same document for the same `madeAt` (epoch milliseconds), so that importing it twice adds nothing. */
export function documentOf(madeAt: number): SampleDocument {
  const uidOf = (name: string) => uidIn(madeAt, name);
  const all = SAMPLE_PROJECTS.flatMap(({ id, team, features }) =>
    features.map((feature) => ({ project: id, team, feature })),
  );
  const events = [
    ...all.flatMap(({ project, feature }) => eventsOf(feature, project, madeAt)),
    ...openingEventsOf(madeAt, uidOf),
  ];
  return {
    format: 'flagmeter',
    version: 1,
    users: usersOf(madeAt, uidOf),
    projects: SAMPLE_PROJECTS.map(({ id, name }) => ({
      id,
      name,
      description: SAMPLE_MARK,
      created_at: new Date(madeAt).toISOString(),
    })),
    features: all.map((one) => recordOf(one, madeAt)),
    feature_environments: all.flatMap(({ feature }) => statesOf(feature)),
    change_request_settings: [
      { project: 'sample-account', environment: 'production', required_approvals: 1 },
    ],
    change_requests: changeRequestsOf(madeAt, uidOf),
    events: events
      .sort((a, b) => a.created_at.localeCompare(b.created_at))
      .map((event, index) => ({ uid: uidOf(`event ${index}`), user: uidOf(event.created_by), ...event })),
  };
}

type OfTeam = { readonly project: string; readonly team: string; readonly feature: SampleFeature };

function recordOf({ project, team, feature }: OfTeam, madeAt: number): object {
  const { name, type, description, guards = [] } = feature;
  const { createdAt, staleAt, archivedAt } = storyOf(feature, madeAt);
  return {
    name,
    project,
    type,
    description: `Sample: ${description}`,
    stale: staleAt !== undefined,
    owner: `${team.charAt(0).toUpperCase()}${team.slice(1)} team`,
    tags: [`team:${team}`],
    guards: guards.map((metric) => ({ metric, ...GUARD })),
    created_at: new Date(createdAt).toISOString(),
    archived_at: archivedAt === undefined ? null : new Date(archivedAt).toISOString(),
  };
}

function statesOf(feature: SampleFeature): object[] {
  return SAMPLE_ENVIRONMENTS.map((environment) => {
    const isProduction = environment === 'production';
    const percent = isProduction ? (feature.rollout.at(-1)?.[1] ?? 0) : ROLLOUT_ELSEWHERE;
    return {
      feature_name: feature.name,
      environment,
      enabled: !(isProduction && feature.offSinceDaysAgo !== undefined),
      strategies: [strategyOf(feature, percent)],
    };
  });
}

/** When the configuration of each feature in production came into force, which the document does not say. */
export function configurationsOf(
  madeAt: number,
): { readonly feature_name: string; readonly changed_at: Date }[] {
  return SAMPLE_FEATURES.map((feature) => ({
    feature_name: feature.name,
    changed_at: new Date(configuredAt(storyOf(feature, madeAt))),
  }));
}
