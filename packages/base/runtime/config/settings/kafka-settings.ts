import { secret, text, whole } from './setting.ts';

/** The settings of Kafka: brokers, topics and login. */
export const kafkaSettings = {
  KAFKA_BROKERS: { type: 'string', format: 'brokers', description: 'host:port, comma separated' },
  KAFKA_TOPIC_PREFIX: text('flagmeter', 'prefix of the names of topics and consumer groups'),
  KAFKA_COUNTS_PARTITIONS: whole(
    4,
    { min: 1, max: 1000 },
    'partitions of the counts topic, the same for all of ingest',
  ),
  KAFKA_APPLICATIONS_PARTITIONS: whole(
    2,
    { min: 1, max: 1000 },
    'partitions of the applications topic, the same for all of ingest',
  ),
  KAFKA_REPLICATION_FACTOR: whole(1, { min: 1, max: 100 }, 'minimum number of replicas of each topic'),
  KAFKA_MIN_INSYNC_REPLICAS: whole(
    1,
    { min: 1, max: 100 },
    'replicas that must have a message before it is acknowledged',
  ),
  KAFKA_RETENTION_HOURS: whole(168, { min: 1, max: 87_600 }, 'how long Kafka keeps messages'),
  KAFKA_TLS: { type: 'boolean', default: false, description: 'true encrypts connections to Kafka' },
  KAFKA_SASL_MECHANISM: {
    type: 'string',
    enum: ['', 'PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512', 'OAUTHBEARER'],
    default: '',
    description: 'mechanism of the login to Kafka; empty for no login',
  },
  KAFKA_SASL_USERNAME: text('', 'user of Kafka; the client id with OAUTHBEARER'),
  KAFKA_SASL_PASSWORD: secret('password of that user; the secret of the client with OAUTHBEARER'),
  KAFKA_OAUTH_TOKEN_URL: {
    type: 'string',
    format: 'base-url',
    description: 'http(s) address that issues access tokens for client credentials; only for OAUTHBEARER',
  },
  KAFKA_OAUTH_SCOPE: text('', 'scope to ask for in tokens, if the issuer needs one; only for OAUTHBEARER'),
} as const;
