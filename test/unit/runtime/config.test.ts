import { expect } from 'chai';
import { ConfigError, readConfig } from '#runtime';

const ADDRESSES = {
  KAFKA_BROKERS: 'one:9092, two:9092',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123',
  DATABASE_URL: 'postgres://user:database-secret@127.0.0.1/flagmeter',
  REDIS_URL: 'redis://127.0.0.1:6379',
};

describe('readConfig', () => {
  it('needs only the addresses', () => {
    const config = readConfig(ADDRESSES);
    expect(config.kafka.brokers).to.deep.equal(['one:9092', 'two:9092']);
    expect(config.http).to.deep.equal({
      host: '127.0.0.1',
      port: 4242,
      requestTimeoutMs: 20_000,
      graceMs: 0,
    });
    expect(config.ingest.maxBodyBytes).to.equal(102_400);
  });

  it('takes an empty variable for one that is not set', () => {
    expect(readConfig({ ...ADDRESSES, PORT: '' }).http.port).to.equal(4242);
  });

  it('names every problem in one message', () => {
    expect(
      messageFor({ ...ADDRESSES, KAFKA_BROKERS: 'nowhere', PORT: '70000', LOG_LEVEL: 'loud', REDIS_URL: '' }),
    ).to.equal(
      [
        'The configuration has 4 problems:',
        '  REDIS_URL is required',
        '  KAFKA_BROKERS must be: host:port, comma separated',
        '  PORT must be <= 65535',
        '  LOG_LEVEL must be one of: debug, info, warn, error, fatal',
      ].join('\n'),
    );
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
    });
    expect(
      initialTokens.map(({ type, projects, environment }) => [type, projects, environment]),
    ).to.deep.equal([
      ['admin', [], '*'],
      ['client', [], 'production'],
      ['client', ['shop'], 'development'],
    ]);
  });

  it('refuses an admin token for less than everything', () => {
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
