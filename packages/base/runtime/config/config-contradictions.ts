import { COMPARED_DAYS } from './compared-days.ts';
import { longestMessageBytes } from './message-size.ts';
import { MIN_SECRET_LENGTH, secretLength } from '#base/tokens';
import { authContradictionsOf } from './groups/auth-config.ts';
import { environmentOf, shardUrlsOf, splitList } from './config-formats.ts';
import type { Environment } from './settings/config-schema.ts';

/** Two days more than `reconcile` compares, because the first and the last day may be incomplete. */
const MIN_COMPARED_DAYS = COMPARED_DAYS + 2;
const SHORTEST_MONTH_DAYS = 28;

/**
 * Returns one sentence for each combination of settings that breaks a promise, although each setting is valid by itself.
 * `given` excludes defaults.
 */
export function contradictionsOf(env: Environment, given: readonly string[]): string[] {
  return [
    atLeast('MAX_BYTES_IN_FLIGHT', env.MAX_BYTES_IN_FLIGHT, {
      min: (env.INGEST_PROCESSES ?? 1) * leastBytesInFlight(env),
      why: 'a token gets a quarter of the part of a process (INGEST_PROCESSES), and a body of MAX_BODY_BYTES would never find room for its messages',
    }),
    atLeast('KAFKA_REPLICATION_FACTOR', env.KAFKA_REPLICATION_FACTOR, {
      min: env.KAFKA_MIN_INSYNC_REPLICAS,
      why: 'with fewer replicas than KAFKA_MIN_INSYNC_REPLICAS nothing is ever acknowledged',
    }),
    ...serversContradictionsOf(env),
    ...retentionContradictionsOf(env),
    exportContradictionOf(env),
    ...shortSecretsOf(env),
    ...authContradictionsOf(env, given),
    ...(env.UNLEASH_URL === undefined ? withoutUnleash(given) : unleashContradictionsOf(env, given)),
  ].flatMap((problem) => problem ?? []);
}

/** A token gets a quarter of the room of a process. */
export function leastBytesInFlight({ MAX_BODY_BYTES }: Pick<Environment, 'MAX_BODY_BYTES'>): number {
  return 4 * longestMessageBytes(MAX_BODY_BYTES);
}

/** Replicas that do not replicate would each get a part of the counts. A server of two shards would be read twice. */
function serversContradictionsOf(env: Environment): (string | undefined)[] {
  const shards = shardUrlsOf(env.CLICKHOUSE_URL);
  const servers = shards.flat();
  return [
    shards.some((replicas) => replicas.length > 1) && env.CLICKHOUSE_ENGINE_PREFIX === ''
      ? 'CLICKHOUSE_ENGINE_PREFIX must be Replicated, because CLICKHOUSE_URL names several replicas'
      : undefined,
    new Set(servers).size < servers.length ? 'CLICKHOUSE_URL names a server twice' : undefined,
    shards.length > 1 && env.CLICKHOUSE_CLUSTER === ''
      ? 'CLICKHOUSE_CLUSTER is required, because CLICKHOUSE_URL names several shards: a cluster of exactly these servers in remote_servers'
      : undefined,
  ];
}

/** Late data must find its hour and day, and both sides of a comparison by `reconcile` must exist. */
function retentionContradictionsOf(env: Environment): (string | undefined)[] {
  const minUsageDays = Math.max(MIN_COMPARED_DAYS, Math.ceil(env.MAX_METRIC_AGE_HOURS / 24) + 1);
  const usage = `metrics may be as old as MAX_METRIC_AGE_HOURS, and reconcile compares ${COMPARED_DAYS} days`;
  const minBlocksDays = Math.max(MIN_COMPARED_DAYS, Math.ceil(env.KAFKA_RETENTION_HOURS / 24));
  const blocks = `blocks must cover the messages that Kafka keeps for KAFKA_RETENTION_HOURS, and reconcile compares ${COMPARED_DAYS} days`;
  return [
    atLeast('RETENTION_HOURLY_DAYS', env.RETENTION_HOURLY_DAYS, { min: minUsageDays, why: usage }),
    atLeast('RETENTION_DAILY_MONTHS', env.RETENTION_DAILY_MONTHS, {
      min: Math.ceil(minUsageDays / SHORTEST_MONTH_DAYS),
      why: usage,
    }),
    atLeast('RETENTION_BLOCKS_DAYS', env.RETENTION_BLOCKS_DAYS, { min: minBlocksDays, why: blocks }),
  ];
}

/** Settings for Unleash without UNLEASH_URL: the operator believes that flagmeter runs in front of Unleash. */
function withoutUnleash(given: readonly string[]): string[] {
  return given
    .filter((name) => name === 'ADMIN_PORT' || name.startsWith('UNLEASH_'))
    .filter((name) => name !== 'UNLEASH_DATABASE_URL')
    .map((name) => `${name} needs UNLEASH_URL, the address of Unleash`);
}

function unleashContradictionsOf(env: Environment, given: readonly string[]): (string | undefined)[] {
  const isShared = given.includes('ADMIN_PORT') && env.ADMIN_PORT !== 0 && env.ADMIN_PORT === env.PORT;
  return [
    atLeast('MAX_CONNECTIONS', env.MAX_CONNECTIONS, {
      min: 2 * env.UNLEASH_MAX_REQUESTS,
      why: 'up to UNLEASH_MAX_REQUESTS requests to Unleash must leave connections for metrics',
    }),
    isShared ? 'ADMIN_PORT must differ from PORT, because Unleash has its own admin API' : undefined,
    mirrorContradictionOf(env),
  ];
}

/** The mirror chooses the token by the environment of the counts, so each token needs its own environment. */
function mirrorContradictionOf(env: Environment): string | undefined {
  const environments = splitList(env.UNLEASH_MIRROR_TOKENS).map(environmentOf);
  if (environments.includes('*'))
    return 'UNLEASH_MIRROR_TOKENS must name an environment in each token, because Unleash drops counts of another one';
  return new Set(environments).size < environments.length
    ? 'UNLEASH_MIRROR_TOKENS must have one token for each environment, because Unleash would get its counts once only'
    : undefined;
}

function exportContradictionOf(env: Environment): string | undefined {
  const [id, secret] = [env.EXPORT_S3_ACCESS_KEY_ID, env.EXPORT_S3_SECRET_ACCESS_KEY];
  if ((id === '') !== (secret === ''))
    return 'EXPORT_S3_ACCESS_KEY_ID and EXPORT_S3_SECRET_ACCESS_KEY are needed together';
  return id !== '' && env.EXPORT_S3_URL === undefined
    ? 'EXPORT_S3_ACCESS_KEY_ID needs EXPORT_S3_URL, the address of the bucket'
    : undefined;
}

const TOKEN_SETTINGS = [
  'INIT_ADMIN_API_TOKENS',
  'INIT_CLIENT_API_TOKENS',
  'INIT_FRONTEND_API_TOKENS',
] as const;

function shortSecretsOf(env: Environment): string[] {
  if (env.ALLOW_SHORT_SECRETS) return [];
  return TOKEN_SETTINGS.filter((name) =>
    splitList(env[name]).some((secret) => secretLength(secret) < MIN_SECRET_LENGTH),
  ).map(
    (name) =>
      `${name} must have at least ${MIN_SECRET_LENGTH} characters after the dot of each token, because shorter secrets can be guessed; ALLOW_SHORT_SECRETS=true accepts them anyway`,
  );
}

function atLeast(
  name: keyof Environment,
  value: number,
  { min, why }: { readonly min: number; readonly why: string },
): string | undefined {
  return value < min ? `${name} must be at least ${min}, because ${why}` : undefined;
}
