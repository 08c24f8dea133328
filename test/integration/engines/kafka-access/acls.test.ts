import { expect } from 'chai';
import kafkajs, { type AclEntry } from 'kafkajs';
import { openAccounting } from '#core/accounting';
import { createBlocks } from '#core/clickhouse';
import { reachEngines, setUp } from '#tooling/operations';
import { type Config, type Fail, type Log, type Service, explainTrouble, readConfig } from '#base/runtime';
import { startIngest } from '../../../../services/ingest/app.ts';
import { startUnleashBridge } from '../../../../services/unleash-bridge/app.ts';
import { startWorker } from '../../../../services/worker/index.ts';
import { anApplication } from '../../../support/builders/builders.ts';
import { appendCounts } from '../../../support/stack/engines/kafka/kafka-log.ts';
import { eventually } from '../../../support/eventually.ts';
import { isNight, someByDay } from '../../../support/nightly.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { type World, createWorld, untilReady } from '../../../support/world.ts';
import { startGuardedKafka } from './guarded-kafka.ts';
import { SECRET, startTokenIssuer } from './token-issuer.ts';

type Run = (config: Config, log: Log, fail: Fail) => Promise<Service>;
const SERVICES = {
  ingest: (config, log) => startIngest(config, log),
  worker: startWorker,
  unleash: startUnleashBridge,
} satisfies Record<string, Run>;
type Name = keyof typeof SERVICES;
const NAMES = ['ingest', 'worker', 'unleash'] as const;
const USERS = [...NAMES, 'admin', 'migrate'] as const;
const { AclOperationTypes } = kafkajs;

describe('the ACLs of Kafka in infra/kafka/acls.sh, with logins by OAuth', () => {
  let kafka: Awaited<ReturnType<typeof startGuardedKafka>>;
  let issuer: Awaited<ReturnType<typeof startTokenIssuer>>;
  let world: World;
  let acls: Readonly<Record<(typeof USERS)[number], readonly AclEntry[]>>;
  before(async () => {
    [kafka, issuer] = await Promise.all([startGuardedKafka(), startTokenIssuer()]);
    world = await createWorld({
      KAFKA_BROKERS: kafka.openAddress,
      KAFKA_TOPIC_PREFIX: 'flagmeter',
      KAFKA_COUNTS_PARTITIONS: '1',
    });
    acls = await kafka.allowAll(USERS);
  });
  const services: Service[] = [];
  const stopServices = async (): Promise<void> => {
    await Promise.all(services.splice(0).map((service) => service.stop()));
  };
  afterEach(stopServices);
  after(async () => {
    await world.dispose();
    await issuer.close();
    await kafka.dispose();
  });

  const configOf = (user: string, changes: Record<string, string> = {}): Config =>
    readConfig({
      ...world.env,
      KAFKA_BROKERS: kafka.guardedAddress,
      KAFKA_SASL_MECHANISM: 'OAUTHBEARER',
      KAFKA_SASL_USERNAME: user,
      KAFKA_SASL_PASSWORD: SECRET,
      KAFKA_OAUTH_TOKEN_URL: issuer.url,
      KAFKA_OAUTH_SCOPE: 'kafka',
      UNLEASH_URL: 'http://127.0.0.1:9',
      UNLEASH_MIRROR_TOKENS: '*:production.of-unleash-0123456789',
      ...changes,
    });

  /** Starts a service as a user. `problems` is everything that it logged or ended with. */
  const start = async (name: Name, user: string) => {
    const { log, lines } = collectLog();
    const failures: string[] = [];
    const fail: Fail = (error) => failures.push(explainTrouble('Kafka', error));
    const service = await SERVICES[name](configOf(user), log, fail);
    services.push(service);
    return {
      service,
      problems: () => [...failures, ...lines().map((line) => JSON.stringify(line))].join('\n'),
    };
  };

  it('let ingest and worker count a batch and a dead letter, and let the mirror join its groups', async () => {
    const started = await Promise.all(NAMES.map((name) => start(name, name)));
    for (const { service } of started) await untilReady(service.url);
    await appendCounts(world, ['poison']);
    const [ingest] = started;
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })], applications: [anApplication()] });
    // On a busy machine the first login at Kafka may take longer than a body waits. Until then it is rejected.
    await eventually(
      () => post(ingest?.service ?? { url: '' }, { body }),
      ({ status }) => status === 202,
    );
    const { total } = await world.settled();
    expect(total).to.include({ counted: 1, dead: 1 });
    expect(issuer.bodies[0]).to.equal('grant_type=client_credentials&scope=kafka');
  });

  for (const name of NAMES)
    it(`let ${name} name the problem if any of its own is missing`, async () => {
      for (const [index, missing] of someByDay(acls[name], 0, kindOf).entries()) {
        const user = `${name}-${index}`;
        await kafka.allow(
          user,
          acls[name].filter((acl) => acl !== missing),
        );
        const { problems } = await start(name, user);
        const isForDeadLetters = missing.resourceName.endsWith('dead-letters');
        if (isForDeadLetters) await appendCounts(world, ['poison']);
        await eventually(
          () => Promise.resolve(problems()),
          (text) => (isForDeadLetters ? DEAD_LETTER_DENIED : DENIED).test(text),
        );
        await stopServices();
      }
    });

  it('let admin read the accounting, and name the problem without one of them', async () => {
    const read = async (user: string): Promise<unknown> => {
      const accounting = openAccounting(configOf(user), world.log);
      const found = await accounting.read().catch(String);
      await accounting.close();
      return found;
    };
    expect(await read('admin')).to.have.property('partitions');
    for (const [index, missing] of someByDay(acls.admin, 0, kindOf).entries()) {
      const user = `admin-${index}`;
      await kafka.allow(
        user,
        acls.admin.filter((acl) => acl !== missing),
      );
      expect(await read(user), missing.resourceName).to.match(DENIED);
    }
  });

  it('let migrate create topics and change them, and name the problem without one of them', async () => {
    const prefix = { KAFKA_TOPIC_PREFIX: 'flagmeter.other' };
    await setUp(configOf('migrate', prefix), world.log);
    const changed = { ...prefix, KAFKA_APPLICATIONS_PARTITIONS: '3' };
    const longer = { ...prefix, KAFKA_RETENTION_HOURS: '200' };
    const operations = [
      ['CREATE', { KAFKA_TOPIC_PREFIX: 'flagmeter.new' }],
      ['ALTER', changed],
      ['ALTER_CONFIGS', longer],
    ] as const;
    for (const [operation, changes] of isNight() ? operations : operations.slice(0, 1)) {
      const user = `migrate-without-${operation}`;
      await kafka.allow(
        user,
        acls.migrate.filter((acl) => acl.operation !== AclOperationTypes[operation]),
      );
      const problem = await setUp(configOf(user, changes), world.log).catch(String);
      expect(problem, operation).to.match(DENIED);
      await setUp(configOf('migrate', changes), world.log);
    }
  });

  it('let nobody begin a new epoch of a topic that only seems to be missing', async () => {
    const { counts } = world.config.kafka.topics;
    const epoch = await createBlocks(world.clickhouse).readEpoch(counts);
    expect(await setUp(configOf('nobody'), world.log).catch(String)).to.match(DENIED);
    expect(await createBlocks(world.clickhouse).readEpoch(counts)).to.equal(epoch);
  });

  it('are of no use without a token: the problem names the issuer, and no secret', async () => {
    const wrong = configOf('ingest', { KAFKA_SASL_PASSWORD: 'another-secret' });
    const problem = await reachEngines(wrong, ['Kafka'], world.log).catch(String);
    expect(problem).to.include('the issuer of tokens at KAFKA_OAUTH_TOKEN_URL answers 401');
    expect(problem).not.to.include('another-secret');
  });
});

/** A topic or a group. */
function kindOf({ resourceType }: AclEntry): number {
  return resourceType;
}

const DENIED =
  /Kafka (denies access to a topic|has no coordinator for the consumer group yet, or denies access to it): docs/;
/** The worker repeats this until somebody adds the ACL. */
const DEAD_LETTER_DENIED = /dead letters not stored: TOPIC_AUTHORIZATION_FAILED/;
