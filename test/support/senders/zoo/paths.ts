import { applicationSchema, batchSchema, sdkMetricsSchema, sdkRegistrationSchema } from '#core/counting';
import { type BodyPlace, type Schema, nameOfPlace, placesOf } from './places.ts';

/** A path to which both take bodies, and a body that both take. */
export type ZooPath = {
  readonly path: string;
  /** Begins the names of its features. */
  readonly name: string;
  readonly sentBy: 'servers' | 'browsers';
  readonly places: readonly BodyPlace[];
  /** Each list has a right item before the one that varies. */
  readonly bodyOf: (options: BodyOptions) => object;
};

export type BodyOptions = {
  readonly appName: string;
  readonly now: number;
  /** The type of the impact metric that varies. */
  readonly impactType: 'counter' | 'histogram';
};

/** Where `openapi.json` of Unleash says which body a path takes. */
export type OpenApi = {
  readonly paths: Readonly<
    Record<
      string,
      Record<string, { requestBody?: { content?: Record<string, { schema: Schema }> } } | undefined>
    >
  >;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
};

export const PATHS = {
  bulk: '/api/client/metrics/bulk',
  sdk: '/api/client/metrics',
  registration: '/api/client/register',
  frontend: '/api/frontend/client/metrics',
  frontendRegistration: '/api/frontend/client/register',
} as const;

/** The paths, with the places that the schemas of Unleash or flagmeter name. */
export function zooPathsOf(document: OpenApi): ZooPath[] {
  const resolve = (reference: string): Schema =>
    document.components.schemas[reference.split('/').at(-1) ?? ''] ?? {};
  const placesAt = (path: string, ...ours: readonly Schema[]): BodyPlace[] => {
    const content = document.paths[path]?.['post']?.requestBody?.content;
    const theirs = content?.['application/json']?.schema;
    if (theirs === undefined) throw new Error(`Unleash does not describe ${path}`);
    const places = [theirs, ...ours].flatMap((schema) => placesOf(schema, resolve));
    return [...new Map(places.map((place) => [nameOfPlace(place.steps), place])).values()];
  };
  // Unleash checks samples of an SDK without describing them.
  const samples: Schema = {
    properties: { impactMetrics: { type: 'array', items: { $ref: 'impactMetricsSchema' } } },
  };
  const { bulk, sdk, registration, frontend, frontendRegistration } = PATHS;
  const { sdkBody, registrationBody, bulkBody } = BODIES;
  return [
    { path: bulk, name: 'bulk', sentBy: 'servers', places: placesAt(bulk, batchSchema), bodyOf: bulkBody },
    {
      path: sdk,
      name: 'sdk',
      sentBy: 'servers',
      places: placesAt(sdk, sdkMetricsSchema, samples),
      bodyOf: sdkBody('sdk'),
    },
    {
      path: registration,
      name: 'registration',
      sentBy: 'servers',
      places: placesAt(registration, applicationSchema, sdkRegistrationSchema),
      bodyOf: registrationBody('registration'),
    },
    {
      path: frontend,
      name: 'frontend',
      sentBy: 'browsers',
      places: placesAt(frontend, sdkMetricsSchema, samples),
      bodyOf: sdkBody('frontend'),
    },
    {
      path: frontendRegistration,
      name: 'frontend-registration',
      sentBy: 'browsers',
      places: placesAt(frontendRegistration, applicationSchema, sdkRegistrationSchema),
      bodyOf: registrationBody('frontend-registration'),
    },
  ];
}

const ENVIRONMENT = 'production';

function applicationOf({ appName, now }: BodyOptions, instanceId: string): object {
  return {
    appName,
    instanceId,
    environment: ENVIRONMENT,
    interval: 15_000,
    started: new Date(now).toISOString(),
    strategies: ['default', 'flexibleRollout'],
    projects: ['default', 'default'],
    sdkVersion: 'unleash-client-node:6.7.0',
    sdkType: 'backend',
    connectVia: [
      { appName: 'edge', instanceId: 'near' },
      { appName: 'edge', instanceId: 'far' },
    ],
  };
}

const COUNTS = { yes: 3, no: 1, variants: { right: 1, varied: 2 } };

const BODIES = {
  bulkBody: ({ appName, now, impactType }: BodyOptions) => ({
    applications: ['right', 'varied'].map((one) =>
      applicationOf({ appName, now, impactType }, `bulk-${one}`),
    ),
    metrics: ['right', 'varied'].map((feature) => ({
      featureName: `bulk-${feature}`,
      appName,
      environment: ENVIRONMENT,
      timestamp: new Date(now).toISOString(),
      ...COUNTS,
    })),
    seenTokens: ['*:production.seen', '*:production.varied'],
    impactMetrics: samplesOf(appName, impactType),
  }),
  sdkBody:
    (name: string) =>
    ({ appName, now, impactType }: BodyOptions) => ({
      appName,
      instanceId: `${name}-varied`,
      environment: ENVIRONMENT,
      sdkVersion: 'unleash-client-node:6.7.0',
      bucket: {
        start: new Date(now).toISOString(),
        stop: new Date(now).toISOString(),
        toggles: { [`${name}-right`]: COUNTS, varied: COUNTS },
      },
      impactMetrics: samplesOf(appName, impactType),
    }),
  registrationBody: (name: string) => (options: BodyOptions) => applicationOf(options, `${name}-varied`),
};

/** Two impact metrics, named after the application. Their samples have the members of all types. */
function samplesOf(appName: string, impactType: string): object[] {
  const name = appName.replaceAll('-', '_');
  return [
    { name: `${name}_right`, help: 'Help', type: 'counter', samples: [sampleOf(appName, 'right', 1)] },
    {
      name: `${name}_varied`,
      help: 'Help',
      type: impactType,
      samples: [sampleOf(appName, 'right', 10), sampleOf(appName, 'varied', 100)],
    },
  ];
}

function sampleOf(appName: string, label: string, value: number): object {
  const buckets = [
    { le: 1, count: value },
    { le: 2.5, count: value },
    { le: '+Inf', count: value },
  ];
  return { value, count: value, sum: value, buckets, labels: { appName, right: 'right', varied: label } };
}
