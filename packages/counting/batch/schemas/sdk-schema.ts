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
} from './batch-schema.ts';
import type { ImpactSource } from '../../impact/read-impact.ts';
import { platformOf } from '../application-names.ts';
import { isExactTime } from '../batch-id.ts';
import { parseTimestamp } from '../timestamps.ts';
import { type SchemaProblem, problemsOf } from './schema-problems.ts';
import type { Guard } from './validator.ts';

const nullableTimestamp = { type: ['string', 'null'], format: 'timestamp' } as const;

/** The counts of one SDK since its last report: `POST /api/client/metrics` (docs/develop/unleash.md#metrics-endpoints). */
export const sdkMetricsSchema = {
  title: 'SdkMetrics',
  type: 'object',
  required: ['appName'],
  properties: {
    appName: { type: 'string' },
    environment: nullableString,
    instanceId: nullableString,
    sdkVersion: nullableString,
    sdkType: nullableString,
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
              yes: count,
              no: count,
              variants: { type: ['object', 'null'], additionalProperties: count },
            },
          },
        },
      },
    },
  },
} as const;

type SdkMetrics = FromSchema<typeof sdkMetricsSchema>;

const isSdkMetrics: Guard<SdkMetrics> = compileBodyGuard<SdkMetrics>(sdkMetricsSchema);
const isApplication: Guard<Application> = compileBodyGuard<Application>(applicationSchema);

/** What the token determines about the SDK that uses it. */
export type SdkScope = { readonly environment: string; readonly projects: readonly string[] };

/** The samples of impact metrics of an SDK, not checked yet. */
export type SdkImpact = { readonly metrics: unknown; readonly source: ImpactSource };

export type SdkMetricsResult =
  | {
      batch: Batch;
      impact: SdkImpact;
      /** Whether the bucket ends at an exact time (see `isExactTime`), which also tells apart bodies that only have samples. */
      hasExactTime: boolean;
    }
  | { problems: SchemaProblem[] };

/**
 * The bucket of one SDK as a batch. Its metrics get the environment of the token and the end of the bucket as their time,
 * because the start is not reliable. The SDK's application is registered.
 */
export function batchOfSdkMetrics(body: unknown, scope: SdkScope): SdkMetricsResult {
  if (!isSdkMetrics(body)) return { problems: problemsOf(isSdkMetrics) };
  const { appName, instanceId = null, sdkVersion = null, sdkType = null, bucket } = body;
  const environment = environmentOf(scope, body.environment);
  const projects = [...scope.projects];
  const application = {
    appName,
    environment,
    instanceId,
    sdkVersion,
    sdkType,
    ...platformOf(body),
    projects,
  };
  const timestamp = bucket?.stop ?? null;
  const metrics = Object.entries(bucket?.toggles ?? {}).map(([featureName, counts]) => {
    const { yes = null, no = null, variants = null } = counts;
    return { featureName, appName, environment, timestamp, yes, no, variants };
  });
  const source = { appName, environment, instanceId: instanceId ?? undefined };
  const hasExactTime = timestamp !== null && isExactTime(parseTimestamp(timestamp) ?? 0);
  return {
    batch: { applications: [application], metrics },
    impact: { metrics: body.impactMetrics, source },
    hasExactTime,
  };
}

/** The registration of one SDK (`POST /api/client/register`) as a batch. Environment and projects come from the token. */
export function batchOfSdkRegistration(
  body: unknown,
  scope: SdkScope,
): { batch: Batch } | { problems: SchemaProblem[] } {
  if (!isApplication(body)) return { problems: problemsOf(isApplication) };
  const environment = environmentOf(scope, body.environment);
  return { batch: { applications: [{ ...body, environment, projects: [...scope.projects] }], metrics: [] } };
}

/** The SDK may choose the environment only if the token is valid for every environment (docs/develop/unleash.md#token-environments). */
function environmentOf(scope: SdkScope, named: string | null | undefined): string {
  return scope.environment === '*' ? named || 'default' : scope.environment;
}
