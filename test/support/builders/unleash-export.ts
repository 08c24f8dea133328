/** A file of Unleash's `POST /api/admin/features-batch/export` for `production`, in the form of unleash-server 8.2.0. */
export function anUnleashExport(members: object = {}) {
  return {
    features: [
      { ...FEATURE, name: 'basket', description: 'The basket', impressionData: true },
      { ...FEATURE, name: 'old', archived: true },
    ],
    featureStrategies: [
      aStrategy({ id: 'second', sortOrder: 2, disabled: true }),
      aStrategy({
        id: 'first',
        sortOrder: 1,
        segments: [4],
        constraints: [{ contextName: 'country', operator: 'IN', values: ['de'] }],
        variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
      }),
    ],
    featureEnvironments: [
      {
        name: 'basket',
        featureName: 'basket',
        environment: 'production',
        enabled: true,
        variants: [{ name: 'red', weight: 1000, weightType: 'fix', stickiness: 'default', overrides: [] }],
      },
      { name: 'old', featureName: 'old', environment: 'production', enabled: false, variants: [] },
    ],
    contextFields: [{ name: 'country', stickiness: false, sortOrder: 10, legalValues: [] }],
    featureTags: [{ featureName: 'basket', tagType: 'simple', tagValue: 'shop' }],
    segments: [{ id: 4, name: 'staff' }],
    tagTypes: [{ name: 'simple', description: 'Any text', icon: '#' }],
    dependencies: [],
    links: [],
    ...members,
  };
}

const FEATURE = {
  description: null,
  type: 'release',
  project: 'shop',
  stale: false,
  impressionData: false,
  archived: false,
};

function aStrategy(members: object) {
  return {
    name: 'flexibleRollout',
    featureName: 'basket',
    title: null,
    parameters: { groupId: 'basket', rollout: '25', stickiness: 'default' },
    constraints: [],
    variants: [],
    segments: [],
    disabled: false,
    ...members,
  };
}
