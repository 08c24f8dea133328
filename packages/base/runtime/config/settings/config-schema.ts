import type { FromSchema } from 'json-schema-to-ts';
import { authSettings } from './auth-settings.ts';
import { clickhouseSettings } from './clickhouse-settings.ts';
import { exportSettings } from './export-settings.ts';
import { kafkaSettings } from './kafka-settings.ts';
import { listenSettings } from './listen-settings.ts';
import { notificationSettings } from './notification-settings.ts';
import { type Bounds, limit, text, tokens, whole } from './setting.ts';
import { tracingSettings } from './tracing-settings.ts';
import { unleashSettings } from './unleash-settings.ts';

/** The number of days that a table keeps its rows. */
const KEPT_DAYS: Bounds = { min: 1, max: 3650, why: 'ClickHouse cannot store times after 2106' };
const namesPerHour = (defaultValue: number, what: string) =>
  limit(
    defaultValue,
    { share: 'same', min: 1, max: 10_000_000, why: 'each takes up to 16 bytes of memory' },
    `distinct ${what} of a token in a clock hour`,
  );

/** The environment variables of all services. Checks, types and documentation derive from this one definition. */
export const configSchema = {
  type: 'object',
  required: ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'DATABASE_URL'],
  properties: {
    ...kafkaSettings,
    ...clickhouseSettings,
    DATABASE_URL: { type: 'string', format: 'postgres-url', description: 'postgres://user:password@host/db' },
    DATABASE_OWNER_URL: {
      type: 'string',
      format: 'postgres-url',
      description:
        'the same for the role that owns the tables, which migrate, start and restore use; DATABASE_URL if not set',
    },
    DATABASE_POOL_MAX: limit(
      8,
      { share: 'part of a pool', min: 1, max: 1000 },
      'connections to Postgres per process, without those of the admin API',
    ),
    ADMIN_POOL_MAX: limit(
      8,
      { share: 'part of a pool', min: 2, max: 1000 },
      'connections to Postgres of the admin API per process, half of them for lists',
    ),
    REDIS_URL: {
      type: 'string',
      format: 'redis-url',
      description:
        'redis(s)://user:password@host:port; required with several machines, and for ingest and admin as separate processes',
    },
    TLS_CA_FILE: text('', 'PEM file of the certificate authorities of the engines; replaces the public ones'),
    TLS_CERT_FILE: text('', 'PEM file of the client certificate, for engines that require one'),
    TLS_KEY_FILE: text('', 'PEM file of the key of that certificate'),
    PORT: whole(4242, { min: 0, max: 65_535 }, 'port to listen on; 0 chooses a free one'),
    REQUEST_TIMEOUT_MS: whole(
      20_000,
      { min: 1000, max: 600_000, why: 'a request holds its room until it has arrived' },
      'time for a whole request, half of it for its headers; also the longest pause while a client reads an answer',
    ),
    ...listenSettings,
    ...unleashSettings,
    LOG_LEVEL: {
      type: 'string',
      enum: ['debug', 'info', 'warn', 'error', 'fatal'],
      default: 'info',
      description:
        'lowest level that is logged; commands other than `flagmeter start` log from warn by default',
    },
    ...tracingSettings,
    ...authSettings,
    ADMIN_CORS_ORIGINS: {
      type: 'string',
      default: '',
      format: 'origins',
      description:
        'origins of web pages that may call the admin API, comma separated, each as https://host or https://host:port; empty for none',
    },
    ADMIN_ACCESS_LOG: {
      type: 'boolean',
      default: false,
      description: 'true logs each request of the admin API, without paths, queries and credentials',
    },
    MCP_TOOLS: {
      type: 'string',
      enum: ['none', 'read', 'write'],
      default: 'read',
      description: 'tools that agents get at /mcp; none does not serve /mcp',
    },
    TOKENS_END_WITH_CREATOR: {
      type: 'boolean',
      default: false,
      description: 'true revokes the API tokens that a user created when the user is deleted',
    },
    INIT_ADMIN_API_TOKENS: tokens('admin-tokens'),
    INIT_CLIENT_API_TOKENS: tokens('tokens'),
    INIT_FRONTEND_API_TOKENS: tokens('tokens'),
    ALLOW_SHORT_SECRETS: {
      type: 'boolean',
      default: false,
      description: 'true accepts initial tokens with fewer than 8 characters after the dot',
    },
    MAX_BODY_BYTES: limit(
      102_400,
      {
        share: 'same',
        min: 1024,
        max: 2_097_152,
        why: 'its messages may be eight times as long, and Kafka must accept each whole',
      },
      'largest body after decompression',
    ),
    MAX_OTLP_BODY_BYTES: limit(
      1_048_576,
      {
        share: 'same',
        min: 1024,
        max: 16 * 1024 * 1024,
        why: 'JSON is parsed in one piece, and nothing else happens meanwhile',
      },
      'largest body of OpenTelemetry after decompression, but at most a tenth of MAX_BYTES_IN_FLIGHT of a process',
    ),
    MAX_BYTES_IN_FLIGHT: limit(
      64 * 1024 * 1024,
      { share: 'part, rounded down', min: 1024 * 1024, max: 16 * 1024 ** 3 },
      'bytes of requests that are read or wait for Kafka per process; a token gets a quarter',
    ),
    MAX_REQUESTS_IN_FLIGHT: limit(
      4000,
      { share: 'part', min: 1, max: 1_000_000 },
      'requests that are read or wait for Kafka per process; a token gets a quarter',
    ),
    MAX_METRIC_AGE_HOURS: limit(
      720,
      { share: 'same', min: 1, max: 35_040, why: 'one INSERT of ClickHouse may touch 100 months at most' },
      'older metrics are refused',
    ),
    MAX_METRIC_FUTURE_MINUTES: limit(
      840,
      {
        share: 'same',
        min: 0,
        max: 1440,
        why: 'the worker looks for stored blocks within two days of their receipt, and one day is for clocks that differ',
      },
      'metrics further in the future are refused; nearer ones count in the hour that they name',
    ),
    MAX_VARIANTS: limit(100, { share: 'same', min: 1, max: 1000 }, 'metrics with more variants are refused'),
    MAX_FEATURES_PER_HOUR: namesPerHour(20_000, 'features'),
    MAX_APPS_PER_HOUR: namesPerHour(2000, 'applications'),
    MAX_ENVIRONMENTS_PER_HOUR: namesPerHour(1000, 'environments'),
    MAX_VARIANT_NAMES_PER_HOUR: namesPerHour(20_000, 'variants'),
    MAX_ROWS_PER_HOUR: namesPerHour(
      1_000_000,
      'sums (of a feature, application, environment and hour, and of a variant in these)',
    ),
    MAX_INSTANCES_PER_HOUR: namesPerHour(100_000, 'instances'),
    MAX_STRATEGIES_PER_HOUR: namesPerHour(1000, 'strategies'),
    MAX_APP_PROJECTS_PER_HOUR: namesPerHour(
      20_000,
      'projects of applications (in each application and environment)',
    ),
    MAX_SERIES_PER_HOUR: namesPerHour(
      100_000,
      'series of impact metrics (of a name, application, environment, set of labels and hour, for gauges also of an instance)',
    ),
    RATE_LIMIT_PER_MINUTE: limit(
      30_000,
      { share: 'same', min: 0, max: 2 ** 31 - 1 },
      'requests per minute of a token without its own limit; 0 for no limit',
    ),
    MAX_WRITES_PER_DAY: limit(
      5000,
      { share: 'same', min: 1, max: 2 ** 31 - 1 },
      'changes by a user who is not an Admin in a day',
    ),
    MAX_WRITTEN_BYTES_PER_DAY: limit(
      16 * 1024 * 1024,
      { share: 'same', min: 102_400, max: 1024 ** 4, why: 'the body of one change may have 102,400' },
      'bytes of the bodies of these changes in a day',
    ),
    DUPLICATE_WINDOW_SECONDS: whole(
      45,
      {
        min: 35,
        max: 3600,
        why: 'relays and ingest repeat a message for up to 34 seconds, and the worker remembers for twice the window',
      },
      'equal bodies of one sender within this time count once',
    ),
    MAX_DEAD_LETTERS: limit(
      100,
      { share: 'same', min: 0, max: 1000 },
      'dead letters in the last 1,000 messages before the worker stops',
    ),
    FLAG_USAGE_SERIES: whole(
      0,
      { min: 0, max: 20_000 },
      'series of `feature_toggle_usage_total`, the counter of Unleash, in each worker; 0 for none',
    ),
    RETENTION_HOURLY_DAYS: whole(90, KEPT_DAYS, 'days for which hourly sums are kept'),
    RETENTION_MINUTELY_HOURS: whole(
      48,
      { min: 0, max: 168, why: 'the tables of hours answer for longer times' },
      'hours for which sums by the minute of receipt are kept after their day; 0 keeps none',
    ),
    RETENTION_DAILY_MONTHS: whole(
      25,
      { min: 1, max: 600, why: 'ClickHouse cannot store times after 2106' },
      'months for which daily sums are kept',
    ),
    RETENTION_REFUSALS_DAYS: whole(30, KEPT_DAYS, 'days for which refusals are kept'),
    RETENTION_BLOCKS_DAYS: whole(
      120,
      KEPT_DAYS,
      'days for which blocks, the proof of the accounting, are kept',
    ),
    AUDIT_RETENTION_DAYS: whole(
      730,
      { min: 0, max: 3650 },
      'days for which the audit is kept, from the next flagmeter migrate or start on; 0 for ever',
    ),
    ...exportSettings,
    ...notificationSettings,
    SHUTDOWN_GRACE_MS: whole(
      0,
      { min: 0, max: 15_000, why: 'a service that has not stopped after 25 seconds is ended' },
      'time before a shutdown in which the service still answers but reports not ready',
    ),
  },
} as const;

export type Environment = FromSchema<typeof configSchema>;
