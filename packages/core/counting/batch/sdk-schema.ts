import type { FromSchema } from 'json-schema-to-ts';
import {
  type Application,
  type Batch,
  applicationSchema,
  compileBodyGuard,
  count,
  impactSchemas,
  nullableString,
  platformSchemas,
} from '../schemas/batch-schema.ts';
import type { ImpactSource } from '../impact/read-impact.ts';
import { platformOf, textOf } from '../applications/application-names.ts';
import { type BucketSpan, spanOfBucket } from '../message/bucket-span.ts';
import { isExactTime } from './batch-id.ts';
import { parseTime, type SchemaProblem, problemsOf, type Guard } from '#base/schema';
import { compileCoercingGuard } from '../schemas/coercing-guard.ts';

const nullableTimestamp = { type: ['string', 'null'], format: 'timestamp' } as const;

/** What the token or the relay says, not the SDK, so Unleash does not check these members. */
const uncheckedSchemas = {
  environment: {
    description: 'Only used if the token is for all environments, as text. Any other value is ignored.',
  },
  sdkType: { description: 'Such as `backend`, as text. Any other value is ignored.' },
} as const;

/** The counts of one SDK since its last report: `POST /api/client/metrics` (docs/develop/unleash.md#metrics-endpoints). */
export const sdkMetricsSchema = {
  title: 'SdkMetrics',
  type: 'object',
  required: ['appName'],
  properties: {
    appName: { type: 'string' },
    instanceId: nullableString,
    sdkVersion: nullableString,
    ...uncheckedSchemas,
    ...platformSchemas,
    ...impactSchemas,
    bucket: {
      title: 'SdkBucket',
      type: ['object', 'null'],
      required: ['toggles'],
      properties: {
        start: nullableTimestamp,
        stop: nullableTimestamp,
        toggles: {
          type: 'object',
          additionalProperties: {
            title: 'SdkCounts',
            type: 'object',
            properties: {
              yes: { ...count, type: ['number', 'null'], description: 'Rounded to a whole number.' },
              no: count,
              variants: { type: ['object', 'null'], additionalProperties: count },
            },
          },
        },
      },
    },
  },
} as const;

/** The registration of one SDK: `POST /api/client/register`. */
export const sdkRegistrationSchema = {
  ...applicationSchema,
  title: 'SdkRegistration',
  properties: {
    ...applicationSchema.properties,
    ...uncheckedSchemas,
    projects: { description: 'Ignored: the token says the projects.' },
    connectVia: { description: 'As in a batch. Any other value is ignored.' },
  },
} as const;

type SdkMetrics = FromSchema<typeof sdkMetricsSchema>;
type SdkRegistration = FromSchema<typeof sdkRegistrationSchema>;

const isSdkMetrics: Guard<SdkMetrics> = compileCoercingGuard<SdkMetrics>(sdkMetricsSchema);
const isRelayList = compileBodyGuard<Exclude<Application['connectVia'], undefined>>(
  applicationSchema.properties.connectVia,
);
const isRegistration: Guard<SdkRegistration> = compileCoercingGuard<SdkRegistration>(sdkRegistrationSchema);

/** What the token determines about the SDK that uses it. */
export type SdkScope = { readonly environment: string; readonly projects: readonly string[] };

/** The samples of impact metrics of an SDK, not checked yet. */
export type SdkImpact = { readonly metrics: unknown; readonly source: ImpactSource };

/** What all toggles of a bucket share. */
export type SdkBucket = {
  readonly appName: string;
  readonly environment: string;
  /** Null means the time of receipt. */
  readonly stop: string | null;
};

export type SdkMetricsResult =
  | {
      batch: Batch;
      impact: SdkImpact;
      /** Whether only this bucket of the SDK ends then, which also tells apart bodies that only have samples. */
      hasExactTime: boolean;
      /** Undefined without a bucket. */
      bucket: SdkBucket | undefined;
      /** Undefined if the bucket names no instance, or no time that it covers. */
      span: BucketSpan | undefined;
    }
  | { problems: SchemaProblem[] };

/**
 * The bucket of one SDK as a batch. Its metrics get the environment of the token and the end of the bucket as their time,
 * because the start is not reliable. The SDK's application is registered.
 */
export function batchOfSdkMetrics(body: unknown, scope: SdkScope): SdkMetricsResult {
  if (!isSdkMetrics(body)) return { problems: problemsOf(isSdkMetrics) };
  const { appName, instanceId = null, sdkVersion = null, bucket } = body;
  const environment = environmentOf(scope, body.environment);
  const projects = [...scope.projects];
  const application = {
    appName,
    environment,
    instanceId,
    sdkVersion,
    sdkType: textOf(body.sdkType) ?? null,
    ...platformOf(body),
    projects,
  };
  const timestamp = bucket?.stop ?? null;
  const metrics = Object.entries(bucket?.toggles ?? {}).map(([featureName, counts]) => {
    const { yes, no = null, variants = null } = counts;
    // As in Unleash, where only this count may be a fraction.
    const whole = yes == null ? null : Math.round(yes);
    return { featureName, appName, environment, timestamp, yes: whole, no, variants };
  });
  const source = { appName, environment, instanceId: instanceId ?? undefined };
  const hasExactTime = timestamp !== null && isEndOfOne(timestamp);
  return {
    batch: { applications: [application], metrics },
    impact: { metrics: body.impactMetrics, source },
    hasExactTime,
    bucket: bucket == null ? undefined : { appName, environment, stop: timestamp },
    span: bucket == null ? undefined : spanOfBucket(bucket, { appName, environment, instanceId }),
  };
}

const WITH_FRACTION = /[.,]\d|^\d+$/;

/**
 * Whether no other bucket of an SDK ends at this time. Most SDKs write it to a millisecond or less. The SDK for PHP writes seconds, and
 * sends a bucket after each evaluation if its interval is short: equal ones within a second are not repeated.
 */
function isEndOfOne(stop: string): boolean {
  return WITH_FRACTION.test(stop) && isExactTime(parseTime(stop) ?? 0);
}

/** The registration of one SDK as a batch. Environment and projects come from the token. */
export function batchOfSdkRegistration(
  body: unknown,
  scope: SdkScope,
): { batch: Batch } | { problems: SchemaProblem[] } {
  if (!isRegistration(body)) return { problems: problemsOf(isRegistration) };
  const { connectVia = null, sdkType } = body;
  const application: Application = {
    ...body,
    environment: environmentOf(scope, body.environment),
    sdkType: textOf(sdkType) ?? null,
    connectVia: isRelayList(connectVia) ? connectVia : null,
    projects: [...scope.projects],
  };
  return { batch: { applications: [application], metrics: [] } };
}

/** The SDK may choose the environment only if the token is valid for every environment (docs/develop/unleash.md#tokens). */
function environmentOf(scope: SdkScope, named: unknown): string {
  return scope.environment === '*' ? (textOf(named) ?? 'default') : scope.environment;
}
