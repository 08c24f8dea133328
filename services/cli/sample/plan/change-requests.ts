import type { SampleEvent } from './events.ts';
import type { Person } from './people.ts';

const DAY_MS = 24 * 3_600_000;

export type SampleRequest = {
  readonly uid: string;
  readonly project: string;
  readonly environment: string;
  readonly changes: readonly object[];
} & Readonly<Record<string, unknown>>;

type Plan = {
  readonly project: string;
  readonly person: Person;
  readonly title: string;
  readonly comment: string;
  readonly daysAgo: number;
  readonly changes: readonly {
    readonly feature: string;
    readonly action: string;
    readonly payload: object | null;
  }[];
};

const PLANS: readonly Plan[] = [
  {
    project: 'sample-search',
    person: 'mira (sample)',
    title: 'Remove the unused search (sample)',
    comment: 'No application has asked for the old index for more than a week.',
    daysAgo: 2,
    changes: [
      { feature: 'search-legacy-index', action: 'archiveFeature', payload: null },
      { feature: 'search-voice-input', action: 'updateEnabled', payload: { enabled: false } },
    ],
  },
  {
    project: 'sample-account',
    person: 'jonas (sample)',
    title: 'No social login during the move (sample)',
    comment: 'We move the accounts on Sunday. I switch it on again afterwards.',
    daysAgo: 1,
    changes: [{ feature: 'account-social-login', action: 'updateEnabled', payload: { enabled: false } }],
  },
];

/** The open change requests. `uidOf` makes a uid of a name. */
export function changeRequestsOf(madeAt: number, uidOf: (name: string) => string): SampleRequest[] {
  return PLANS.map(({ project, person, title, comment, daysAgo, changes }) => {
    const created_at = timeOf(madeAt, daysAgo);
    const by = { user: uidOf(person), created_at };
    return {
      uid: uidOf(requestOf(project)),
      project,
      environment: 'production',
      title,
      state: 'In review',
      min_approvals: 1,
      ...by,
      state_timestamps: { Draft: created_at, 'In review': created_at },
      changes: changes.map((change) => ({ ...change, ...by })),
      comments: [{ text: comment, ...by }],
    };
  });
}

/** The events that opened them, unsorted. */
export function openingEventsOf(madeAt: number, uidOf: (name: string) => string): SampleEvent[] {
  return PLANS.map(({ project, person, daysAgo }) => ({
    type: 'change-request-sent-to-review',
    created_at: timeOf(madeAt, daysAgo),
    created_by: person,
    project,
    environment: 'production',
    group_type: 'change-request',
    group_id: uidOf(requestOf(project)),
  }));
}

const requestOf = (project: string) => `change request ${project}`;
const timeOf = (madeAt: number, daysAgo: number) => new Date(madeAt - daysAgo * DAY_MS).toISOString();
