import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect } from 'chai';
import { ConfigError, readConfig } from '#base/runtime';
import { ENGINE_ADDRESSES } from '../../../../support/builders/engine-addresses.ts';

describe('readConfig, for access to the engines', () => {
  let directory: string;
  before(() => {
    directory = mkdtempSync(path.join(tmpdir(), 'flagmeter-'));
  });
  after(() => {
    rmSync(directory, { recursive: true });
  });

  it('uses TLS only if an address or KAFKA_TLS requires it', () => {
    const plain = readConfig(ENGINE_ADDRESSES);
    expect([plain.kafka.tls, plain.clickhouse.tls, plain.postgres.tls, plain.redis?.tls]).to.deep.equal([
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const secured = readConfig({
      ...ENGINE_ADDRESSES,
      KAFKA_TLS: 'true',
      CLICKHOUSE_URL: 'https://clickhouse:8443',
      DATABASE_URL: 'postgres://user@postgres/flagmeter?sslmode=verify-full',
      REDIS_URL: 'rediss://redis:6379',
    });
    expect([
      secured.kafka.tls,
      secured.clickhouse.tls,
      secured.postgres.tls,
      secured.redis?.tls,
    ]).to.deep.equal([{}, {}, {}, {}]);
  });

  for (const [parameters, url] of [
    ['sslmode=disable', 'postgres://user@127.0.0.1/flagmeter'],
    ['sslmode=require&application_name=x', 'postgres://user@127.0.0.1/flagmeter?application_name=x'],
  ] as const)
    it(`removes ${parameters} from the URL of Postgres`, () => {
      const { postgres } = readConfig({
        ...ENGINE_ADDRESSES,
        DATABASE_URL: `${ENGINE_ADDRESSES.DATABASE_URL}?${parameters}`,
      });
      expect(postgres.url).to.equal(url);
      expect(postgres.tls).to.deep.equal(parameters === 'sslmode=disable' ? undefined : {});
    });

  it('has the same rules for the database of Unleash, which needs no UNLEASH_URL', () => {
    const url = 'postgres://reader:secret@unleash/unleash';
    const { unleash, unleashDatabase } = readConfig({
      ...ENGINE_ADDRESSES,
      UNLEASH_DATABASE_URL: `${url}?sslmode=require`,
    });
    expect(unleash).to.equal(undefined);
    expect(unleashDatabase).to.deep.equal({ url, tls: {} });
    expect(complaintOf({ UNLEASH_DATABASE_URL: `${url}?sslmode=prefer` })).to.match(
      /^UNLEASH_DATABASE_URL may ask for TLS by sslmode/,
    );
  });

  for (const parameters of [
    'sslmode=no-verify',
    'sslmode=prefer',
    'ssl=true',
    'sslmode=require&uselibpqcompat=true',
  ])
    it(`rejects ${parameters}, by which verification could end`, () => {
      expect(complaintOf({ DATABASE_URL: `${ENGINE_ADDRESSES.DATABASE_URL}?${parameters}` })).to.match(
        /^DATABASE_URL may ask for TLS by sslmode/,
      );
    });

  it('names a missing or invalid file setting, and prints neither path nor content', () => {
    expect(complaintOf({ TLS_CA_FILE: '/nowhere/secret' })).to.equal(
      'TLS_CA_FILE names a file that cannot be read: there is none',
    );
    expect(complaintOf({ TLS_CA_FILE: file('ca', 'a secret') })).to.equal(
      'TLS_CA_FILE names a file that holds no certificate in PEM',
    );
  });

  it('requires certificate, key and authority together', () => {
    expect(complaintOf({ TLS_CERT_FILE: file('cert', '') })).to.equal(
      'TLS_CERT_FILE needs TLS_KEY_FILE and TLS_CA_FILE beside it',
    );
  });

  it('requires mechanism, user and password of Kafka together', () => {
    expect(complaintOf({ KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_SASL_USERNAME: 'user' })).to.equal(
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are needed together',
    );
  });

  it('requires the address of the tokens with OAUTHBEARER, and only then', () => {
    const login = { KAFKA_SASL_USERNAME: 'client', KAFKA_SASL_PASSWORD: 'secret' };
    expect(complaintOf({ ...login, KAFKA_SASL_MECHANISM: 'OAUTHBEARER' })).to.equal(
      'KAFKA_SASL_MECHANISM=OAUTHBEARER needs KAFKA_OAUTH_TOKEN_URL',
    );
    const KAFKA_OAUTH_TOKEN_URL = 'https://issuer/token';
    expect(complaintOf({ ...login, KAFKA_SASL_MECHANISM: 'PLAIN', KAFKA_OAUTH_TOKEN_URL })).to.equal(
      'KAFKA_OAUTH_TOKEN_URL needs KAFKA_SASL_MECHANISM=OAUTHBEARER',
    );
  });

  it('reads any setting from the file in NAME_FILE, without its last line break', () => {
    const config = readConfig({
      ...ENGINE_ADDRESSES,
      CLICKHOUSE_PASSWORD_FILE: file('password', 'pass word \n'),
    });
    expect(config.clickhouse.password).to.equal('pass word ');
  });

  it('rejects LOG_LEVEL_FILE, because the log starts before files are read', () => {
    expect(complaintOf({ LOG_LEVEL_FILE: file('level', 'debug') })).to.equal(
      'LOG_LEVEL_FILE has no effect, because the log starts before files are read: set LOG_LEVEL',
    );
  });

  it('rejects a setting that is given twice', () => {
    const twice = { CLICKHOUSE_PASSWORD: 'a', CLICKHOUSE_PASSWORD_FILE: file('again', 'b') };
    expect(complaintOf(twice)).to.equal(
      'CLICKHOUSE_PASSWORD and CLICKHOUSE_PASSWORD_FILE exclude each other',
    );
  });

  function file(name: string, content: string): string {
    const place = path.join(directory, name);
    writeFileSync(place, content);
    return place;
  }
});

function complaintOf(changes: Record<string, string>): string {
  try {
    readConfig({ ...ENGINE_ADDRESSES, ...changes });
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the configuration was accepted');
}
