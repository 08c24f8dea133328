import { type NewToken, type TokenType, parseSecret } from '#domain';

const text = (defaultValue: string, description: string) =>
  ({ type: 'string', default: defaultValue, description }) as const;
const whole = (defaultValue: number, minimum: number, description: string) =>
  ({ type: 'integer', default: defaultValue, minimum, description }) as const;
const tokens = (format: 'tokens' | 'admin-tokens') =>
  ({
    type: 'string',
    default: '',
    format,
    description: 'comma separated, project:environment.secret',
  }) as const;

/** The environment variables of all services: the one definition from which checks, types and docs come. */
export const configSchema = {
  type: 'object',
  required: ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'DATABASE_URL', 'REDIS_URL'],
  properties: {
    KAFKA_BROKERS: { type: 'string', format: 'brokers', description: 'host:port, comma separated' },
    KAFKA_TOPIC_PREFIX: text('flagmeter', 'begins the names of topics and consumer groups'),
    KAFKA_COUNTS_PARTITIONS: whole(4, 1, 'partitions of the counts topic when it is created'),
    KAFKA_APPLICATIONS_PARTITIONS: whole(2, 1, 'partitions of the applications topic when it is created'),
    KAFKA_REPLICATION_FACTOR: whole(1, 1, 'replicas of each topic when it is created'),
    KAFKA_MIN_INSYNC_REPLICAS: whole(1, 1, 'replicas that must have a message before it is acknowledged'),
    KAFKA_RETENTION_HOURS: whole(168, 1, 'how long Kafka keeps messages'),
    KAFKA_TLS: { type: 'boolean', default: false, description: 'true encrypts connections to Kafka' },
    KAFKA_SASL_MECHANISM: {
      type: 'string',
      enum: ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'],
      default: '',
      description: 'how to log in to Kafka; empty for not at all',
    },
    KAFKA_SASL_USERNAME: text('', 'user of Kafka'),
    KAFKA_SASL_PASSWORD: text('', 'password of that user'),
    CLICKHOUSE_URL: { type: 'string', format: 'http-url', description: 'http(s)://host:port' },
    CLICKHOUSE_USER: text('default', 'user of ClickHouse'),
    CLICKHOUSE_PASSWORD: text('', 'password of that user'),
    CLICKHOUSE_DATABASE: text('flagmeter', 'database of tables and views'),
    CLICKHOUSE_ENGINE_PREFIX: {
      type: 'string',
      enum: ['', 'Replicated'],
      default: '',
      description: 'Replicated on a cluster',
    },
    CLICKHOUSE_CLUSTER: text('', 'name of the cluster for ON CLUSTER; empty on a single server'),
    DATABASE_URL: { type: 'string', format: 'postgres-url', description: 'postgres://user:password@host/db' },
    DATABASE_POOL_MAX: whole(8, 1, 'connections to Postgres per process'),
    REDIS_URL: {
      type: 'string',
      format: 'redis-url',
      description: 'redis(s)://user:password@host:port',
    },
    TLS_CA_FILE: text('', 'PEM file of the authorities that vouch for the engines, instead of public ones'),
    TLS_CERT_FILE: text('', 'PEM file of our certificate, for engines that ask for one'),
    TLS_KEY_FILE: text('', 'PEM file of the key of that certificate'),
    PORT: { ...whole(4242, 0, 'port to listen on; 0 takes a free one'), maximum: 65_535 },
    REQUEST_TIMEOUT_MS: whole(
      20_000,
      1000,
      'a request must be here whole by then, its headers in half of it',
    ),
    HTTP_HOST: text('127.0.0.1', 'address to listen on'),
    LOG_LEVEL: {
      type: 'string',
      enum: ['debug', 'info', 'warn', 'error', 'fatal'],
      default: 'info',
      description: 'least level that is logged',
    },
    AUTH_TYPE: {
      type: 'string',
      enum: ['tokens', 'none'],
      default: 'tokens',
      description: 'none lets everybody use the admin API',
    },
    INIT_ADMIN_API_TOKENS: tokens('admin-tokens'),
    INIT_CLIENT_API_TOKENS: tokens('tokens'),
    INIT_FRONTEND_API_TOKENS: tokens('tokens'),
    MAX_BODY_BYTES: whole(102_400, 1024, 'largest body after decompression'),
    MAX_BYTES_IN_FLIGHT: whole(64 * 1024 * 1024, 1024 * 1024, 'bytes that wait for Kafka per process'),
    MAX_REQUESTS_IN_FLIGHT: whole(4000, 1, 'requests that wait for Kafka per process'),
    MAX_METRIC_AGE_HOURS: { ...whole(720, 1, 'older metrics are refused'), maximum: 87_600 },
    MAX_METRIC_FUTURE_MINUTES: whole(60, 0, 'metrics further ahead are refused'),
    MAX_VARIANTS: whole(100, 1, 'metrics with more variants are refused'),
    MAX_FEATURES_PER_HOUR: whole(20_000, 1, 'distinct features that a token may send in a clock hour'),
    MAX_APPS_PER_HOUR: whole(2000, 1, 'distinct applications that a token may send in a clock hour'),
    MAX_ENVIRONMENTS_PER_HOUR: whole(1000, 1, 'distinct environments that a token may send in a clock hour'),
    MAX_VARIANT_NAMES_PER_HOUR: whole(20_000, 1, 'distinct variants that a token may send in a clock hour'),
    MAX_INSTANCES_PER_HOUR: whole(100_000, 1, 'distinct instances that a token may send in a clock hour'),
    RATE_LIMIT_PER_MINUTE: whole(
      0,
      0,
      'requests that a token without a limit of its own may send in a minute; 0 for any number',
    ),
    DUPLICATE_WINDOW_SECONDS: whole(45, 0, 'equal bodies of one sender within it count once'),
    MAX_DEAD_LETTERS: whole(100, 0, 'dead letters in the last 1,000 messages before the worker stops'),
    RETENTION_HOURLY_DAYS: whole(
      90,
      1,
      'days that sums per hour are kept, once flagmeter retention applies it',
    ),
    RETENTION_DAILY_MONTHS: whole(25, 1, 'months that sums per day are kept, likewise'),
    RETENTION_REFUSALS_DAYS: whole(30, 1, 'days that refusals are kept, likewise'),
    RETENTION_BLOCKS_DAYS: whole(120, 1, 'days that blocks, the proof of the books, are kept, likewise'),
    SHUTDOWN_GRACE_MS: whole(0, 0, 'time to go on serving, not ready, before a shutdown'),
  },
} as const;

export const configFormats: Readonly<Record<string, (value: string) => boolean>> = {
  brokers: (value) => value.split(',').every((broker) => /^[^\s:/]+:\d{1,5}$/.test(broker.trim())),
  'http-url': hasProtocol(['http:', 'https:']),
  'postgres-url': hasProtocol(['postgres:', 'postgresql:']),
  'redis-url': hasProtocol(['redis:', 'rediss:']),
  tokens: (value) => splitList(value).every((secret) => parseSecret(secret) !== undefined),
  'admin-tokens': (value) =>
    splitList(value).every((secret) => secret.startsWith('*:*.') && secret.length > 4),
};

/** Tokens of an INIT_..._API_TOKENS variable that has passed its format. */
export function tokensOf(type: TokenType, value: string): NewToken[] {
  return splitList(value).map((secret) => {
    const { project, environment } = parseSecret(secret) ?? { project: '*', environment: '*' };
    const projects = project === '*' || project === '[]' ? [] : [project];
    return { secret, name: `initial ${type}`, type, environment, projects, expiresAt: undefined };
  });
}

function splitList(value: string): string[] {
  return value.split(',').flatMap((item) => item.trim() || []);
}

function hasProtocol(protocols: readonly string[]): (value: string) => boolean {
  return (value) => URL.canParse(value) && protocols.includes(new URL(value).protocol);
}
