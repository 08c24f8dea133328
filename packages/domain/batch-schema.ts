import { Ajv, type ErrorObject, type ValidateFunction } from 'ajv';
import type { FromSchema } from 'json-schema-to-ts';
import { parseTimestamp } from './timestamps.ts';

const nullableString = { type: ['string', 'null'] } as const;
const count = { type: ['integer', 'null'], minimum: 0, maximum: Number.MAX_SAFE_INTEGER } as const;

const applicationSchema = {
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
    connectVia: {
      type: ['array', 'null'],
      items: {
        type: 'object',
        required: ['appName', 'instanceId'],
        properties: { appName: { type: 'string' }, instanceId: { type: 'string' } },
      },
    },
  },
} as const;

const metricSchema = {
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
 * The bulk metrics payload (interface-spec 2.1). What real relays send as null means absent; unknown members
 * are ignored because relays grow new ones faster than receivers.
 */
export const batchSchema = {
  type: 'object',
  required: ['applications', 'metrics'],
  properties: {
    applications: { type: 'array', items: applicationSchema },
    metrics: { type: 'array', items: metricSchema },
  },
} as const;

export type Batch = FromSchema<typeof batchSchema>;
export type Application = FromSchema<typeof applicationSchema>;
export type Metric = FromSchema<typeof metricSchema>;

/** One problem of a body: where (JSON pointer) and what was expected. Never carries a value of the body. */
export type SchemaProblem = { readonly path: string; readonly message: string };

const ajv = new Ajv({ allowUnionTypes: true });
ajv.addFormat('timestamp', { type: 'string', validate: (text) => parseTimestamp(text) !== undefined });
const isBatch: ValidateFunction<Batch> = ajv.compile<Batch>(batchSchema);

/** The batch, or the first problem found: a stranger must not make us list thousands. */
export function validateBatch(body: unknown): { batch: Batch } | { problems: SchemaProblem[] } {
  if (isBatch(body)) return { batch: body };
  return { problems: (isBatch.errors ?? []).slice(0, 10).map(describe) };
}

function describe(error: ErrorObject): SchemaProblem {
  const message =
    error.keyword === 'format' ? 'must be an ISO 8601 date and time' : (error.message ?? 'is not valid');
  return { path: error.instancePath.slice(0, 200), message };
}
