import { availableParallelism } from 'node:os';
import { longestMessageBytes } from './message-size.ts';
import { authOf } from './groups/auth-config.ts';
import { leastBytesInFlight } from './config-contradictions.ts';
import { environmentOf, splitList, tokensOf } from './config-formats.ts';
import { kafkaOf } from './groups/kafka-config.ts';
import { notificationsOf } from './groups/notifications-config.ts';
import { type PostgresAccess, readPostgresUrl } from './postgres-url.ts';
import { readEnvironment } from './read-environment.ts';
import { type Environment, configSchema } from './settings/config-schema.ts';
import { shareOf } from './settings/setting.ts';
import { type Tls, type TlsFiles, listenTlsOf, readTls } from './tls.ts';
import { tracingOf } from './groups/tracing-config.ts';

/** The configuration as typed values with units. */
export type Config = ReturnType<typeof toConfig>;

/** Reads the environment. A ConfigError lists all problems at once, and never contains a value. */
export function readConfig(env: Readonly<Record<string, string | undefined>>): Config {
  return toConfig(readEnvironment(env));
}

/** The same for one of several equal processes, which share a machine and its limits (`INGEST_PROCESSES`). */
export function readConfigOfOne(env: Readonly<Record<string, string | undefined>>): Config {
  const settings = readEnvironment(env);
  const processes = processesOf(settings);
  const all: Readonly<Record<string, unknown>> = settings;
  const parts = Object.entries(configSchema.properties).flatMap(([name, property]) => {
    const total = all[name];
    const isShared = 'share' in property && typeof total === 'number';
    return isShared ? [[name, shareOf(total, property.share, processes)] as const] : [];
  });
  return toConfig({ ...settings, ...Object.fromEntries(parts), INGEST_PROCESSES: processes });
}

function toConfig(env: Environment) {
  const files = tlsFilesOf(env);
  const tls = readTls(files);
  return {
    http: {
      host: env.HTTP_HOST,
      port: env.PORT,
      ops: env.OPS_PORT === undefined ? undefined : { host: env.OPS_HOST, port: env.OPS_PORT },
      requestTimeoutMs: env.REQUEST_TIMEOUT_MS,
      maxConnections: env.MAX_CONNECTIONS,
      maxConnectionsPerAddress: env.MAX_CONNECTIONS_PER_ADDRESS,
      graceMs: env.SHUTDOWN_GRACE_MS,
      tls: listenTlsOf(env),
      trustedProxies: splitList(env.TRUST_PROXY),
    },
    unleash: unleashOf(env),
    unleashDatabase: unleashDatabaseOf(env, files),
    kafka: kafkaOf(env, tls),
    clickhouse: {
      url: env.CLICKHOUSE_URL,
      tls: env.CLICKHOUSE_URL.startsWith('https:') ? tls : undefined,
      username: env.CLICKHOUSE_USER,
      password: env.CLICKHOUSE_PASSWORD,
      reader: readerOf(env),
      database: env.CLICKHOUSE_DATABASE,
      enginePrefix: env.CLICKHOUSE_ENGINE_PREFIX,
      cluster: env.CLICKHOUSE_CLUSTER,
    },
    postgres: postgresOf(env, files),
    postgresOwner: postgresOwnerOf(env, files),
    admin: adminOf(env),
    redis: redisOf(env, tls),
    ingest: ingestOf(env),
    processes: processesOf(env),
    worker: {
      duplicateWindowMs: env.DUPLICATE_WINDOW_SECONDS * 1000,
      maxDeadLetters: env.MAX_DEAD_LETTERS,
      flagUsageSeries: env.FLAG_USAGE_SERIES,
    },
    retention: retentionOf(env),
    exportBucket: exportBucketOf(env),
    notifications: notificationsOf(env),
    tracing: tracingOf(env, tls),
    auth: authOf(env),
    initialTokens: [
      ...tokensOf('admin', env.INIT_ADMIN_API_TOKENS),
      ...tokensOf('client', env.INIT_CLIENT_API_TOKENS),
      ...tokensOf('frontend', env.INIT_FRONTEND_API_TOKENS),
    ],
  } as const;
}

function adminOf(env: Environment) {
  return {
    maxConnections: env.ADMIN_POOL_MAX,
    hasAccessLog: env.ADMIN_ACCESS_LOG,
    corsOrigins: splitList(env.ADMIN_CORS_ORIGINS),
    mcpTools: env.MCP_TOOLS,
    doTokensEndWithCreator: env.TOKENS_END_WITH_CREATOR,
    dailyWrites: { writes: env.MAX_WRITES_PER_DAY, bytes: env.MAX_WRITTEN_BYTES_PER_DAY },
  };
}

/** Undefined unless flagmeter runs in front of Unleash. Its `url` has no slash at the end. */
function unleashOf(env: Environment) {
  if (env.UNLEASH_URL === undefined) return undefined;
  return {
    url: new URL(env.UNLEASH_URL).href.replace(/\/+$/, ''),
    maxRequests: env.UNLEASH_MAX_REQUESTS,
    adminPort: env.ADMIN_PORT,
    adminToken: env.UNLEASH_ADMIN_TOKEN === '' ? undefined : env.UNLEASH_ADMIN_TOKEN,
    tokensKeptMs: env.UNLEASH_TOKENS_KEPT_HOURS * 3_600_000,
    mirror: mirrorOf(env),
  };
}

function unleashDatabaseOf({ UNLEASH_DATABASE_URL: url }: Environment, files: TlsFiles) {
  return url === undefined ? undefined : readPostgresUrl('UNLEASH_DATABASE_URL', url, files);
}

/** Undefined if all processes that verify tokens are those of one `flagmeter start`. */
function redisOf({ REDIS_URL: url }: Environment, tls: Tls) {
  return url === undefined ? undefined : { url, tls: url.startsWith('rediss:') ? tls : undefined };
}

function postgresOf(env: Environment, files: TlsFiles) {
  const access = readPostgresUrl('DATABASE_URL', env.DATABASE_URL, files);
  return { ...access, maxConnections: env.DATABASE_POOL_MAX };
}

/** The role that owns the tables, which may be that of the services. */
function postgresOwnerOf(env: Environment, files: TlsFiles): PostgresAccess {
  const { DATABASE_OWNER_URL: url } = env;
  return url === undefined
    ? readPostgresUrl('DATABASE_URL', env.DATABASE_URL, files)
    : readPostgresUrl('DATABASE_OWNER_URL', url, files);
}

/** Undefined if we send no counts to Unleash. `secrets` are the secrets of client tokens, by environment. */
function mirrorOf(env: Environment) {
  const secrets = splitList(env.UNLEASH_MIRROR_TOKENS);
  if (secrets.length === 0 || !env.UNLEASH_MIRROR) return undefined;
  return {
    secrets: new Map(secrets.map((secret) => [environmentOf(secret), secret])),
    unanswered: env.UNLEASH_MIRROR_UNANSWERED,
  };
}

function readerOf(env: Environment) {
  const { CLICKHOUSE_READER_USER: username, CLICKHOUSE_READER_PASSWORD: password } = env;
  return username === ''
    ? { username: env.CLICKHOUSE_USER, password: env.CLICKHOUSE_PASSWORD }
    : { username, password };
}

const MOST_PROCESSES = 16;

/** On half of the cores, because counting, Kafka and ClickHouse need the others (docs/develop/scale.md). Each has room for the largest body. */
function processesOf(env: Environment): number {
  const fitting = Math.floor(env.MAX_BYTES_IN_FLIGHT / leastBytesInFlight(env));
  const usual = Math.min(MOST_PROCESSES, Math.floor(availableParallelism() / 2), fitting);
  return env.INGEST_PROCESSES ?? Math.max(1, usual);
}

function ingestOf(env: Environment) {
  return {
    maxBodyBytes: env.MAX_BODY_BYTES,
    otlp: {
      // A token gets a quarter of the room, and a body may be there twice, compressed and decompressed.
      maxBodyBytes: Math.min(env.MAX_OTLP_BODY_BYTES, Math.floor(env.MAX_BYTES_IN_FLIGHT / 10)),
      // Topics accept those of the other bodies. Most bodies of OpenTelemetry repeat a few names, so their messages are short.
      maxMessageBytes: longestMessageBytes(env.MAX_BODY_BYTES),
    },
    inFlight: { maxBytes: env.MAX_BYTES_IN_FLIGHT, maxRequests: env.MAX_REQUESTS_IN_FLIGHT },
    limits: {
      maxAgeMs: env.MAX_METRIC_AGE_HOURS * 3_600_000,
      maxFutureMs: env.MAX_METRIC_FUTURE_MINUTES * 60_000,
      maxVariants: env.MAX_VARIANTS,
    },
    rateLimitPerMinute: env.RATE_LIMIT_PER_MINUTE,
    namesPerHour: {
      feature: env.MAX_FEATURES_PER_HOUR,
      app: env.MAX_APPS_PER_HOUR,
      environment: env.MAX_ENVIRONMENTS_PER_HOUR,
      variant: env.MAX_VARIANT_NAMES_PER_HOUR,
      row: env.MAX_ROWS_PER_HOUR,
      instance: env.MAX_INSTANCES_PER_HOUR,
      strategy: env.MAX_STRATEGIES_PER_HOUR,
      project: env.MAX_APP_PROJECTS_PER_HOUR,
      series: env.MAX_SERIES_PER_HOUR,
      bounds: 2 * env.MAX_SERIES_PER_HOUR,
    },
  } as const;
}

function retentionOf(env: Environment) {
  return {
    minutelyHours: env.RETENTION_MINUTELY_HOURS,
    hourlyDays: env.RETENTION_HOURLY_DAYS,
    dailyMonths: env.RETENTION_DAILY_MONTHS,
    refusalsDays: env.RETENTION_REFUSALS_DAYS,
    blocksDays: env.RETENTION_BLOCKS_DAYS,
    auditDays: env.AUDIT_RETENTION_DAYS,
  };
}

/** Undefined without a bucket. The credentials are undefined if the ClickHouse server has its own. */
function exportBucketOf(env: Environment) {
  if (env.EXPORT_S3_URL === undefined) return undefined;
  const { EXPORT_S3_ACCESS_KEY_ID: id, EXPORT_S3_SECRET_ACCESS_KEY: secret } = env;
  return { url: env.EXPORT_S3_URL, credentials: id === '' ? undefined : { id, secret } };
}

function tlsFilesOf(env: Environment): TlsFiles {
  return {
    ca: { setting: 'TLS_CA_FILE', path: env.TLS_CA_FILE },
    cert: { setting: 'TLS_CERT_FILE', path: env.TLS_CERT_FILE },
    key: { setting: 'TLS_KEY_FILE', path: env.TLS_KEY_FILE },
  };
}
