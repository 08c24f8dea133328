import { ConfigError } from '../../errors.ts';
import type { Environment } from '../settings/config-schema.ts';
import type { Tls } from '../tls.ts';

/** `tls` is for the brokers. It is undefined if they are reached unencrypted. */
export function kafkaOf(env: Environment, tls: Tls) {
  const prefix = env.KAFKA_TOPIC_PREFIX;
  return {
    brokers: env.KAFKA_BROKERS.split(',').map((broker) => broker.trim()),
    tls: env.KAFKA_TLS ? tls : undefined,
    sasl: saslOf(env, tls),
    groupPrefix: prefix,
    topics: {
      counts: `${prefix}.counts`,
      applications: `${prefix}.applications`,
      relayReports: `${prefix}.relay-reports`,
      deadLetters: `${prefix}.dead-letters`,
    },
    countsPartitions: env.KAFKA_COUNTS_PARTITIONS,
    applicationsPartitions: env.KAFKA_APPLICATIONS_PARTITIONS,
    replicationFactor: env.KAFKA_REPLICATION_FACTOR,
    minInsyncReplicas: env.KAFKA_MIN_INSYNC_REPLICAS,
    retentionMs: env.KAFKA_RETENTION_HOURS * 3_600_000,
  };
}

function saslOf({ KAFKA_SASL_MECHANISM: mechanism, ...env }: Environment, tls: Tls) {
  const { KAFKA_SASL_USERNAME: username, KAFKA_SASL_PASSWORD: password } = env;
  const { KAFKA_OAUTH_TOKEN_URL: tokenUrl, KAFKA_OAUTH_SCOPE: scope } = env;
  const hasLogin = mechanism !== '' || username !== '' || password !== '';
  if (hasLogin && (mechanism === '' || username === '' || password === ''))
    throw new ConfigError(
      'KAFKA_SASL_MECHANISM, KAFKA_SASL_USERNAME and KAFKA_SASL_PASSWORD are needed together',
    );
  if (mechanism === 'OAUTHBEARER') {
    if (tokenUrl === undefined)
      throw new ConfigError('KAFKA_SASL_MECHANISM=OAUTHBEARER needs KAFKA_OAUTH_TOKEN_URL');
    return { mechanism, username, password, token: { url: tokenUrl, scope, tls } };
  }
  if (tokenUrl !== undefined)
    throw new ConfigError('KAFKA_OAUTH_TOKEN_URL needs KAFKA_SASL_MECHANISM=OAUTHBEARER');
  return mechanism === '' ? undefined : { mechanism, username, password };
}
