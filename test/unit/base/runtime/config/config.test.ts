import { availableParallelism } from 'node:os';
import { expect } from 'chai';
import { ConfigError, configSchema, readConfig } from '#base/runtime';

const ADDRESSES = {
  KAFKA_BROKERS: 'one:9092, two:9092',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  DATABASE_URL: 'postgres://user:database-secret@127.0.0.1/flagmeter',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

const OIDC = {
  AUTH_TYPE: 'oidc',
  OIDC_ISSUER: 'https://login.example/realms/one',
  OIDC_CLIENT_ID: 'flagmeter',
  OIDC_EDITOR_GROUPS: 'editors',
  CONSOLE_URL: 'https://flags.example/',
};

describe('readConfig', () => {
  it('needs only the addresses', () => {
    const config = readConfig(ADDRESSES);
    expect(config.kafka.brokers).to.deep.equal(['one:9092', 'two:9092']);
    expect(config.http).to.deep.equal({
      host: '127.0.0.1',
      port: 4242,
      ops: undefined,
      tls: undefined,
      trustedProxies: [],
      requestTimeoutMs: 20_000,
      maxConnections: 10_000,
      maxConnectionsPerAddress: 2500,
      graceMs: 0,
    });
    expect(config.ingest.maxBodyBytes).to.equal(102_400);
  });

  it('reads the identity provider', () => {
    const { auth } = readConfig({ ...ADDRESSES, ...OIDC });
    expect(auth.oidc).to.include({ consoleUrl: 'https://flags.example', clientSecret: undefined });
    expect(auth.sessions).to.deep.equal({ idleMs: 3_600_000, maxMs: 43_200_000 });
    expect(readConfig(ADDRESSES).auth.oidc).to.equal(undefined);
    const here = { ...OIDC, OIDC_ISSUER: 'http://localhost:1', CONSOLE_URL: 'http://127.0.0.1:2' };
    expect(readConfig({ ...ADDRESSES, ...here }).auth.oidc?.issuer).to.equal('http://localhost:1');
  });

  it('reads the roles of projects that groups give', () => {
    const read = (roles: string) =>
      readConfig({ ...ADDRESSES, ...OIDC, OIDC_PROJECT_ROLES: roles }).auth.oidc?.projectRoles;
    expect(read('/teams/shop=shop:Editor:development+staging, CN=leads=shop:Owner')).to.deep.equal([
      { group: '/teams/shop', project: 'shop', role: 'Editor', environments: ['development', 'staging'] },
      { group: 'CN=leads', project: 'shop', role: 'Owner', environments: [] },
    ]);
    for (const wrong of [
      'shop:Editor',
      'team=shop',
      'team=shop:',
      'team=shop:Editor:',
      'a=b:C:d:e',
      'a=*:Owner',
    ])
      expect(() => read(wrong), wrong).to.throw('OIDC_PROJECT_ROLES must be: roles of projects');
  });

  it('treats an empty variable as unset', () => {
    expect(readConfig({ ...ADDRESSES, PORT: '' }).http.port).to.equal(4242);
  });

  it('runs ingest on half of the cores, with room for the largest body in each process', () => {
    const half = Math.max(1, Math.min(16, Math.floor(availableParallelism() / 2)));
    expect(readConfig(ADDRESSES).processes).to.equal(half);
    expect(readConfig({ ...ADDRESSES, MAX_BYTES_IN_FLIGHT: '4000000' }).processes).to.equal(1);
    expect(readConfig({ ...ADDRESSES, INGEST_PROCESSES: '3' }).processes).to.equal(3);
  });

  it('reports every problem in one message', () => {
    const wrong = { KAFKA_BROKERS: 'nowhere', PORT: '70000', LOG_LEVEL: 'loud', DATABASE_URL: '' };
    expect(messageFor({ ...ADDRESSES, ...wrong })).to.equal(
      [
        'The configuration has 4 problems:',
        '  DATABASE_URL is required',
        '  KAFKA_BROKERS must be: host:port, comma separated',
        '  PORT must be 0 to 65535',
        '  LOG_LEVEL must be one of: debug, info, warn, error, fatal',
      ].join('\n'),
    );
  });

  const contradictions: readonly (readonly [settings: Record<string, string>, sentence: RegExp])[] = [
    [{ OIDC_CLIENT_ID: 'flagmeter' }, /OIDC_CLIENT_ID needs AUTH_TYPE=oidc/],
    [{ ...OIDC, OIDC_ISSUER: '' }, /OIDC_ISSUER is required with AUTH_TYPE=oidc/],
    [{ ...OIDC, CONSOLE_URL: '' }, /CONSOLE_URL is required with AUTH_TYPE=oidc/],
    [{ ...OIDC, OIDC_EDITOR_GROUPS: '' }, /one of OIDC_ADMIN_GROUPS.* is required/],
    [{ ...OIDC, OIDC_ISSUER: 'http://login.example' }, /OIDC_ISSUER must be https/],
    [{ ...OIDC, CONSOLE_URL: 'http://flags.example' }, /CONSOLE_URL must be https/],
    [{ ...OIDC, OIDC_SCOPES: 'profile' }, /OIDC_SCOPES must have openid/],
    [{ MAX_BODY_BYTES: '2097153' }, /MAX_BODY_BYTES must be 1024 to 2097152, because .* Kafka/],
    [
      { MAX_BODY_BYTES: '200000', MAX_BYTES_IN_FLIGHT: '6600000' },
      /MAX_BYTES_IN_FLIGHT must be at least 6662144, /,
    ],
    [
      { INGEST_PROCESSES: '0' },
      /INGEST_PROCESSES must be 1 to 64, because each takes up to 250 MiB of memory/,
    ],
    [{ INGEST_PROCESSES: '64' }, /MAX_BYTES_IN_FLIGHT must be at least \d+, because .* \(INGEST_PROCESSES\)/],
    [
      { DUPLICATE_WINDOW_SECONDS: '0' },
      /DUPLICATE_WINDOW_SECONDS must be 35 to 3600, because relays and ingest/,
    ],
    [{ DUPLICATE_WINDOW_SECONDS: '86400' }, /DUPLICATE_WINDOW_SECONDS must be 35 to 3600, because/],
    [{ MAX_METRIC_FUTURE_MINUTES: '2880' }, /MAX_METRIC_FUTURE_MINUTES must be 0 to 1440, because/],
    [{ MAX_METRIC_AGE_HOURS: '2160' }, /RETENTION_HOURLY_DAYS must be at least 91, because/],
    [{ MAX_METRIC_AGE_HOURS: '35041' }, /MAX_METRIC_AGE_HOURS must be 1 to 35040, because/],
    [{ RETENTION_HOURLY_DAYS: '89' }, /RETENTION_HOURLY_DAYS must be at least 90, because/],
    [{ RETENTION_DAILY_MONTHS: '3' }, /RETENTION_DAILY_MONTHS must be at least 4, because/],
    [{ RETENTION_DAILY_MONTHS: '1500' }, /RETENTION_DAILY_MONTHS must be 1 to 600, because ClickHouse/],
    [{ RETENTION_BLOCKS_DAYS: '89' }, /RETENTION_BLOCKS_DAYS must be at least 90, because/],
    [{ KAFKA_RETENTION_HOURS: '3000' }, /RETENTION_BLOCKS_DAYS must be at least 125, because/],
    [{ KAFKA_MIN_INSYNC_REPLICAS: '2' }, /KAFKA_REPLICATION_FACTOR must be at least 2, because/],
    [{ EXPORT_S3_URL: "https://s3.example/bucket/'" }, /EXPORT_S3_URL must be: http/],
    [{ EXPORT_S3_ACCESS_KEY_ID: "a'b" }, /EXPORT_S3_ACCESS_KEY_ID must be: access key/],
    [{ EXPORT_S3_SECRET_ACCESS_KEY: 'a' }, /EXPORT_S3_SECRET_ACCESS_KEY are needed together/],
    [
      { EXPORT_S3_ACCESS_KEY_ID: 'a', EXPORT_S3_SECRET_ACCESS_KEY: 'b' },
      /EXPORT_S3_ACCESS_KEY_ID needs EXPORT_S3_URL/,
    ],
    [{ SHUTDOWN_GRACE_MS: '15001' }, /SHUTDOWN_GRACE_MS must be 0 to 15000, because/],
    ...['*', 'null', 'https://flags.example/', 'https://Flags.example', 'https://flags.example:443'].map(
      (origin) =>
        [{ ADMIN_CORS_ORIGINS: `https://a.example,${origin}` }, /ADMIN_CORS_ORIGINS must be: orig/] as const,
    ),
    [{ ADMIN_PORT: '4300' }, /ADMIN_PORT needs UNLEASH_URL/],
    [{ UNLEASH_MAX_REQUESTS: '100' }, /UNLEASH_MAX_REQUESTS needs UNLEASH_URL/],
    [{ UNLEASH_URL: 'unleash.internal' }, /UNLEASH_URL must be: http\(s\)/],
    [{ UNLEASH_URL: 'http://me:secret@unleash.internal' }, /UNLEASH_URL must be: http\(s\)/],
    [{ UNLEASH_URL: 'http://unleash.internal/?x=1' }, /UNLEASH_URL must be: http\(s\)/],
    [
      { UNLEASH_URL: 'http://unleash.internal', MAX_CONNECTIONS: '9999' },
      /MAX_CONNECTIONS must be at least 10000, because up to UNLEASH_MAX_REQUESTS requests to Unleash/,
    ],
    [
      { UNLEASH_URL: 'http://unleash.internal', PORT: '4300', ADMIN_PORT: '4300' },
      /ADMIN_PORT must differ from PORT/,
    ],
    [{ CLICKHOUSE_URL: 'http://a,http://b' }, /CLICKHOUSE_ENGINE_PREFIX must be Replicated/],
    [{ CLICKHOUSE_URL: 'http://a;http://b' }, /CLICKHOUSE_CLUSTER is required, because/],
    [{ CLICKHOUSE_URL: 'http://a;http://a', CLICKHOUSE_CLUSTER: 'x' }, /CLICKHOUSE_URL names a server twice/],
    [{ CLICKHOUSE_URL: 'http://a;https://b' }, /CLICKHOUSE_URL must be/],
    [{ UNLEASH_MIRROR: 'false' }, /UNLEASH_MIRROR needs UNLEASH_URL/],
    [
      {
        UNLEASH_URL: 'http://unleash.internal',
        UNLEASH_MIRROR_TOKENS: '*:production.one,default:production.two',
      },
      /UNLEASH_MIRROR_TOKENS must have one token for each environment/,
    ],
    [
      { UNLEASH_URL: 'http://unleash.internal', UNLEASH_MIRROR_TOKENS: '*:*.everywhere' },
      /UNLEASH_MIRROR_TOKENS must name an environment in each token/,
    ],
    [{ REQUEST_TIMEOUT_MS: '2147483648' }, /REQUEST_TIMEOUT_MS must be 1000 to 600000, because/],
  ];
  for (const [settings, sentence] of contradictions) {
    it(`rejects ${JSON.stringify(settings)} in one sentence`, () => {
      const [head, ...problems] = messageFor({ ...ADDRESSES, ...settings }).split('\n');
      expect([head, problems.length]).to.deep.equal(['The configuration has 1 problem:', 1]);
      expect(problems[0]).to.match(sentence);
    });
  }

  it('removes the trailing slash of UNLEASH_URL, and connects to no Unleash without it', () => {
    expect(readConfig(ADDRESSES).unleash).to.equal(undefined);
    const UNLEASH_URL = 'https://unleash.internal/flags/';
    expect(readConfig({ ...ADDRESSES, UNLEASH_URL }).unleash).to.deep.equal({
      url: 'https://unleash.internal/flags',
      maxRequests: 5000,
      adminPort: 4243,
      adminToken: undefined,
      tokensKeptMs: 86_400_000,
      mirror: undefined,
    });
  });

  it('mirrors with the token of each environment, unless that is switched off', () => {
    const env = {
      ...ADDRESSES,
      UNLEASH_URL: 'http://unleash.internal',
      UNLEASH_MIRROR_TOKENS: '*:production.one, default:development.two',
    };
    expect(readConfig(env).unleash?.mirror).to.deep.equal({
      secrets: new Map([
        ['production', '*:production.one'],
        ['development', 'default:development.two'],
      ]),
      unanswered: 'repeat',
    });
    expect(readConfig({ ...env, UNLEASH_MIRROR: 'false' }).unleash?.mirror).to.equal(undefined);
  });

  it('lets a separate admin process use the default port of ADMIN_PORT', () => {
    const env = { ...ADDRESSES, UNLEASH_URL: 'http://unleash.internal', PORT: '4243' };
    expect(readConfig(env).http.port).to.equal(4243);
  });

  it('limits every number on both sides', () => {
    for (const [name, property] of Object.entries(configSchema.properties)) {
      if (property.type !== 'integer') continue;
      const value = 'default' in property ? property.default : property.maximum;
      expect(property.minimum, name).to.be.at.most(value);
      expect(property.maximum, name).to.be.at.least(value);
    }
  });

  it('never shows a value', () => {
    const message = messageFor({
      ...ADDRESSES,
      DATABASE_URL: 'mysql://user:database-secret@127.0.0.1/x',
      INIT_CLIENT_API_TOKENS: 'token-secret',
    });
    expect(message).to.include('2 problems').and.not.include('secret@').and.not.include('token-secret');
  });

  it('reads initial tokens with their type, projects and environment', () => {
    const { initialTokens } = readConfig({
      ...ADDRESSES,
      INIT_ADMIN_API_TOKENS: '*:*.root',
      INIT_CLIENT_API_TOKENS: '*:production.one, shop:development.two',
      ALLOW_SHORT_SECRETS: 'true',
    });
    expect(
      initialTokens.map(({ type, projects, environment }) => [type, projects, environment]),
    ).to.deep.equal([
      ['admin', [], '*'],
      ['client', [], 'production'],
      ['client', ['shop'], 'development'],
    ]);
  });

  it('rejects initial tokens that are easily guessed, unless a setting allows them', () => {
    const short = { INIT_CLIENT_API_TOKENS: '*:production.12345678,my.shop:production.1234567' };
    expect(messageFor({ ...ADDRESSES, ...short })).to.match(
      /INIT_CLIENT_API_TOKENS must have at least 8 characters after the dot/,
    );
    expect(readConfig({ ...ADDRESSES, ...short, ALLOW_SHORT_SECRETS: 'true' }).initialTokens).to.have.length(
      2,
    );
    const enough = { INIT_CLIENT_API_TOKENS: 'my.shop:production.12345678' };
    expect(readConfig({ ...ADDRESSES, ...enough }).initialTokens).to.have.length(1);
  });

  it('rejects an admin token for less than everything', () => {
    expect(messageFor({ ...ADDRESSES, INIT_ADMIN_API_TOKENS: 'shop:*.root' })).to.include(
      'INIT_ADMIN_API_TOKENS',
    );
  });
});

function messageFor(env: Record<string, string>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
