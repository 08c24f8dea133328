import { reachEngines } from '#tooling/operations';
import { createLog, readConfig } from '#base/runtime';
import { freePort } from '../../../../tools/stack/index.ts';
import { type OwnEngine, ownKafka, ownPostgres } from '../../../support/stack/engines/own-engines.ts';
import { stackEnv } from '../../../support/stack/engines/stack-addresses.ts';
import { type Certificates, bundle, createCertificates } from '../../../support/servers/certificates.ts';
import { type TlsProxy, startTlsProxy } from './tls-proxy.ts';

const PASSWORD = 'engine-secret';

/** Four engines that are reached over TLS, and the settings for them. */
export type SecuredEngines = {
  readonly certificates: Certificates;
  readonly env: Readonly<Record<string, string>>;
  /** The Kafka listener that requires a client certificate. */
  readonly mutualPort: number;
  dispose(): Promise<void>;
};

/**
 * Kafka and Postgres support TLS themselves. The local ClickHouse has no https listener, and the local Redis may be
 * built without TLS. A proxy terminates TLS for these two.
 */
export async function startSecuredEngines(): Promise<SecuredEngines> {
  const certificates = await createCertificates();
  const stack = stackEnv();
  const listeners = { SASL_SSL: await freePort(), SSL: await freePort() };
  const starting = [
    ownKafka({
      listeners,
      settings: await kafkaSettings(certificates),
      scramUsers: ['SCRAM-SHA-256', 'SCRAM-SHA-512'].map(
        (mechanism) => `${mechanism}=[name=flagmeter,password=${PASSWORD}]`,
      ),
    }),
    ownPostgres({ tls: certificates.server }),
  ] as const;
  const [kafka, postgres] = await Promise.all(starting);
  const clickhouse = await startTlsProxy(Number(new URL(stack.CLICKHOUSE_URL).port), certificates.server);
  const redis = await startTlsProxy(Number(new URL(stack.REDIS_URL).port), certificates.server);
  return {
    certificates,
    mutualPort: listeners.SSL,
    env: {
      KAFKA_BROKERS: `127.0.0.1:${listeners.SASL_SSL}`,
      KAFKA_TLS: 'true',
      KAFKA_SASL_MECHANISM: 'SCRAM-SHA-512',
      KAFKA_SASL_USERNAME: 'flagmeter',
      KAFKA_SASL_PASSWORD: PASSWORD,
      CLICKHOUSE_URL: `https://127.0.0.1:${clickhouse.port}`,
      DATABASE_URL: `${postgres.address}?sslmode=verify-full`,
      REDIS_URL: `rediss://127.0.0.1:${redis.port}`,
      TLS_CA_FILE: certificates.authority,
    },
    dispose: () => disposeAll([kafka, postgres], [clickhouse, redis], certificates),
  };
}

async function disposeAll(
  engines: readonly OwnEngine[],
  proxies: readonly TlsProxy[],
  certificates: Certificates,
): Promise<void> {
  await Promise.all([...engines.map((engine) => engine.dispose()), ...proxies.map((proxy) => proxy.close())]);
  await certificates.dispose();
}

async function kafkaSettings({
  authority,
  server,
  write,
}: Certificates): Promise<Readonly<Record<string, string>>> {
  const login = 'org.apache.kafka.common.security';
  const scram = `${login}.scram.ScramLoginModule required;`;
  const plain = `${login}.plain.PlainLoginModule required user_flagmeter="${PASSWORD}";`;
  return {
    'ssl.keystore.type': 'PEM',
    'ssl.keystore.location': await write('kafka.pem', await bundle(server)),
    'ssl.truststore.type': 'PEM',
    'ssl.truststore.location': authority,
    'listener.name.ssl.ssl.client.auth': 'required',
    'sasl.enabled.mechanisms': 'PLAIN,SCRAM-SHA-256,SCRAM-SHA-512',
    'listener.name.sasl_ssl.plain.sasl.jaas.config': plain,
    'listener.name.sasl_ssl.scram-sha-256.sasl.jaas.config': scram,
    'listener.name.sasl_ssl.scram-sha-512.sasl.jaas.config': scram,
  };
}

type Engines = Parameters<typeof reachEngines>[1];

/** The report of a command about the engines that it cannot use; undefined if it can use all. */
export async function complaintOf(
  engines: Engines,
  env: Readonly<Record<string, string>>,
): Promise<string | undefined> {
  const config = readConfig(env);
  try {
    await reachEngines(config, engines, createLog('test', 'fatal'));
    return undefined;
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
}
