import type { FromSchema } from 'json-schema-to-ts';
import { compileCoercingGuard } from './coercing-guard.ts';
import { type SchemaProblem, problemsOf, type Guard, createAjv, lazyGuard } from '#base/schema';

export const nullableString = { type: ['string', 'null'] } as const;
export const count = { type: ['integer', 'null'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

/**
 * Facts about the platform of an SDK. Unleash does not check their types, so another value than a text must not cost the batch:
 * it is absent.
 */
export const platformSchemas = {
  platformName: { description: 'Runtime of the SDK, as text. Any other value is ignored.' },
  platformVersion: { description: 'Version of the runtime, as text. Any other value is ignored.' },
  yggdrasilVersion: {
    description: 'Version of the evaluation engine in the SDK, as text. Any other value is ignored.',
  },
  specVersion: {
    description: 'Version of the specification that the SDK follows, as text. Any other value is ignored.',
  },
  sdkFlavor: {
    description:
      'An integration that uses the SDK, such as a provider of OpenFeature, as text. Any other value is ignored.',
  },
  sdkFlavorVersion: { description: 'Version of that integration, as text. Any other value is ignored.' },
} as const;

/** Impact metrics have a separate schema only in the documents, because an invalid one must not reject others (readImpact). */
export const impactSchemas = {
  impactMetrics: {
    description:
      'Counters, gauges and histograms of the application, as SDKs of Unleash send them. A sample that does not fit is refused, and the rest of the body counts.',
  },
} as const;

export const applicationSchema = {
  title: 'Registration',
  type: 'object',
  required: ['appName'],
  properties: {
    appName: { type: 'string' },
    environment: nullableString,
    instanceId: nullableString,
    interval: { type: ['number', 'null'] },
    started: { type: ['string', 'null'], format: 'timestamp' },
    strategies: { type: ['array', 'null'], items: { type: 'string' } },
    projects: { type: ['array', 'null'], items: { type: 'string' } },
    sdkVersion: nullableString,
    sdkType: nullableString,
    ...platformSchemas,
    connectVia: {
      type: ['array', 'null'],
      description: 'The relays between the SDK and flagmeter.',
      items: {
        title: 'Forwarder',
        type: 'object',
        required: ['appName', 'instanceId'],
        properties: { appName: { type: 'string' }, instanceId: { type: 'string' } },
      },
    },
  },
} as const;

const metricSchema = {
  title: 'Metric',
  type: 'object',
  required: ['featureName', 'appName', 'environment'],
  properties: {
    featureName: { type: 'string' },
    appName: { type: 'string' },
    environment: { type: 'string' },
    timestamp: { type: ['string', 'null'], format: 'timestamp' },
    yes: count,
    no: count,
    variants: { type: ['object', 'null'], additionalProperties: count },
  },
} as const;

/**
 * The body of a batch (docs/use/senders/contract.md#batch). Null means absent, because real relays send null for unknown values. Unknown
 * members are ignored, because relays may be newer than flagmeter.
 */
export const batchSchema = {
  title: 'Batch',
  type: 'object',
  required: ['applications', 'metrics'],
  properties: {
    applications: { type: 'array', items: applicationSchema },
    metrics: { type: 'array', items: metricSchema },
    ...impactSchemas,
  },
} as const;

/** The batch without the items of its lists. */
const listsSchema = {
  ...batchSchema,
  properties: { applications: { type: 'array' }, metrics: { type: 'array' } },
} as const;

export type Batch = FromSchema<typeof batchSchema>;
export type Application = FromSchema<typeof applicationSchema>;
export type Metric = FromSchema<typeof metricSchema>;

/** The number of problems reported for one body is bounded, because a stranger's body may have thousands. */
const MAX_PROBLEMS = 10;

const ajv = createAjv();

/** Compiles the guard of a body's schema. T must be `FromSchema` of that schema. */
export function compileBodyGuard<T>(schema: object): Guard<T> {
  return lazyGuard(() => ajv.compile<T>(schema));
}

type BatchGuards = {
  readonly isBatch: Guard<Batch>;
  readonly isApplication: Guard<Application>;
  readonly isMetric: Guard<Metric>;
};

const exact: BatchGuards = {
  isBatch: compileBodyGuard<Batch>(batchSchema),
  isApplication: compileBodyGuard<Application>(applicationSchema),
  isMetric: compileBodyGuard<Metric>(metricSchema),
};
const coercing: BatchGuards = {
  isBatch: compileCoercingGuard<Batch>(batchSchema),
  isApplication: compileCoercingGuard<Application>(applicationSchema),
  isMetric: compileCoercingGuard<Metric>(metricSchema),
};
const hasLists = compileBodyGuard<Record<'applications' | 'metrics', unknown[]>>(listsSchema);

export type BatchResult = { readonly batch: Batch } | { readonly problems: SchemaProblem[] };

/** The batch, or its problems: the first one of each item. */
export function validateBatch(body: unknown): BatchResult {
  return validate(body, exact);
}

/** The same for paths that take what Unleash takes. Changes the body (see `compileCoercingGuard`). */
export function validateBatchAsUnleash(body: unknown): BatchResult {
  return validate(body, coercing);
}

function validate(body: unknown, { isBatch, isApplication, isMetric }: BatchGuards): BatchResult {
  if (isBatch(body)) return { batch: body };
  if (!hasLists(body)) return { problems: problemsOf(hasLists) };
  const applications = problemsOfItems('/applications', body.applications, isApplication);
  const metrics = problemsOfItems('/metrics', body.metrics, isMetric);
  return { problems: [...applications, ...metrics].slice(0, MAX_PROBLEMS) };
}

function problemsOfItems(pointer: string, items: readonly unknown[], isValid: Guard): SchemaProblem[] {
  const problems: SchemaProblem[] = [];
  for (const [index, item] of items.entries()) {
    if (problems.length >= MAX_PROBLEMS) break;
    if (isValid(item)) continue;
    const found = problemsOf(isValid).map(({ path, message }) => ({
      path: `${pointer}/${index}${path}`,
      message,
    }));
    problems.push(...found);
  }
  return problems;
}
