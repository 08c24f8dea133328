/** Samples of answers of unleash-server 8.2.0, without the members that tests change. */
export const FEATURE = {
  project: 'default',
  type: 'release',
  description: 'of the upstream',
  stale: false,
  impressionData: false,
  tags: [],
  createdAt: '2026-11-01T00:00:00.000Z',
  archivedAt: null,
  rollout: '50',
  enabled: true,
};

export const APPLICATION = {
  createdAt: '2026-11-01T00:00:00.000Z',
  updatedAt: '2026-11-01T00:00:00.000Z',
  strategies: [],
  createdBy: null,
  color: null,
  icon: null,
  usage: [],
};

export const EVENT = {
  createdBy: 'flagmeter',
  createdByUserId: -42,
  data: null,
  preData: null,
  tags: [],
  featureName: null,
  project: null,
  environment: null,
  label: 'An event',
  summary: '**flagmeter** did something',
};

export const ENVIRONMENTS = [
  {
    name: 'development',
    type: 'development',
    sortOrder: 2,
    enabled: true,
    protected: false,
    requiredApprovals: null,
  },
  {
    name: 'production',
    type: 'production',
    sortOrder: 3,
    enabled: true,
    protected: false,
    requiredApprovals: null,
  },
];

export const STRATEGIES = [
  {
    displayName: 'Gradual rollout',
    name: 'flexibleRollout',
    editable: false,
    description: 'Roll out to a percentage of your userbase.',
    parameters: [{ name: 'rollout', type: 'percentage', description: '', required: false }],
    deprecated: false,
    title: null,
  },
];

export const NOT_FOUND = {
  id: 'e1',
  name: 'NotFoundError',
  message: 'Could not find feature flag',
  details: [],
};
export const UNAUTHORIZED = {
  id: 'e2',
  name: 'UnauthorizedError',
  message: 'You must log in to use Unleash.',
};
