import { expect } from 'chai';
import { examine } from '#tooling/operations';
import { type Config, readConfig } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { eventually } from '../../../support/eventually.ts';
import { redisBusOf } from '../../../support/stack/bus/redis-bus.ts';
import { collectLog } from '../../../support/stack/processes/collected-log.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { startCounting, tokenIdOf, usageOf } from '../../../support/stories/counting.ts';
import { ADMIN_TOKEN, CLIENT_TOKEN, type World, createWorld } from '../../../support/world.ts';
import { type SecuredEngines, complaintOf, startSecuredEngines } from './engines.ts';

const UNTRUSTED = 'has a certificate of an unknown authority: name the authority in TLS_CA_FILE.';
const OTHER_HOST = 'has a certificate for a different host name than the one in its address.';
const REJECTED = 'rejects the user name, the password or the client certificate.';

describe('engines behind TLS', () => {
  let engines: SecuredEngines;
  before(async () => {
    engines = await startSecuredEngines();
  });
  after(() => engines.dispose());

  const everyEngine = ['Kafka', 'ClickHouse', 'Postgres'] as const;
  const complaint = (changes: Record<string, string>, which: readonly (typeof everyEngine)[number][]) =>
    complaintOf(which, { ...engines.env, ...changes });

  describe('a whole flagmeter', () => {
    let world: World;
    before(async () => {
      world = await createWorld(engines.env);
    });
    after(() => world.dispose());

    it('is examined by flagmeter doctor, which finds certificates that end tomorrow', async () => {
      const { certificate, key } = engines.certificates.server;
      const own = { LISTEN_TLS_CERT_FILE: certificate, LISTEN_TLS_KEY_FILE: key };
      const findings = await examine(readConfig({ ...world.env, ...own }), world.log);
      const certificates = findings.filter(({ check }) => check.endsWith('certificate'));
      const named = certificates.map(({ check, state }) => `${state} ${check}`);
      expect(named).to.deep.equal(
        ['own', 'Kafka', 'ClickHouse', 'Postgres', 'Redis'].map((name) => `fail ${name} certificate`),
      );
      for (const { text } of certificates)
        expect(text).to.match(/^The certificate is valid until .*, for [01] more day/);
    });

    it('counts batches, and learns of a revoked token, over encrypted connections only', async () => {
      const ingest = await startCounting(world);
      const { log, lines } = collectLog();
      const admin = await world.run((config) => startAdmin(config, log));
      const body = bodyOf({ metrics: [aFreshMetric({ featureName: 'over-tls', yes: 7 })] });
      expect((await post(ingest, { body })).status).to.equal(202);
      await world.settled();
      expect((await usageOf(world, 'over-tls')).yes).to.equal(7);

      const id = await tokenIdOf(world, 'client', 'production');
      const revoked = await fetch(`${admin.url}/api/admin/api-tokens/${id}`, {
        method: 'DELETE',
        headers: { authorization: ADMIN_TOKEN },
      });
      expect(revoked.ok).to.equal(true);
      const logged = lines().filter(({ msg }) => msg === 'token revoked');
      expect(logged.map(({ tokenId }) => tokenId)).to.deep.equal([id]);
      // Without Redis this would take a minute.
      await eventually(
        async () => (await post(ingest, { authorization: CLIENT_TOKEN })).status,
        (status) => status === 401,
      );
    });
  });

  for (const mechanism of ['PLAIN', 'SCRAM-SHA-256', 'SCRAM-SHA-512'])
    it(`logs in to Kafka by ${mechanism}, and not with a wrong password`, async () => {
      const right = { KAFKA_SASL_MECHANISM: mechanism };
      expect(await complaint(right, ['Kafka'])).to.equal(undefined);
      const wrong = await complaint({ ...right, KAFKA_SASL_PASSWORD: 'wrong-secret' }, ['Kafka']);
      expect(wrong).to.equal(`Kafka ${REJECTED}`);
    });

  it('presents a client certificate to Kafka if Kafka requires one', async () => {
    const { client } = engines.certificates;
    const mutual = {
      KAFKA_BROKERS: `127.0.0.1:${engines.mutualPort}`,
      KAFKA_SASL_MECHANISM: '',
      KAFKA_SASL_USERNAME: '',
      KAFKA_SASL_PASSWORD: '',
    };
    const identity = { TLS_CERT_FILE: client.certificate, TLS_KEY_FILE: client.key };
    expect(await complaint({ ...mutual, ...identity }, ['Kafka'])).to.equal(undefined);
    expect(await complaint(mutual, ['Kafka'])).to.match(/^Kafka /);
  });

  it('trusts no certificate of another authority, and names each engine', async () => {
    const said = await complaint({ TLS_CA_FILE: engines.certificates.strangerAuthority }, everyEngine);
    expect(said?.split('\n')).to.deep.equal(everyEngine.map((engine) => `${engine} ${UNTRUSTED}`));
  });

  it('trusts no private authority without configuration', async () => {
    const said = await complaint({ TLS_CA_FILE: '' }, everyEngine);
    expect(said?.split('\n')).to.deep.equal(everyEngine.map((engine) => `${engine} ${UNTRUSTED}`));
  });

  it('trusts no certificate of another host', async () => {
    const elsewhere = Object.fromEntries(
      ['KAFKA_BROKERS', 'CLICKHOUSE_URL', 'DATABASE_URL'].map((name) => [
        name,
        engines.env[name]?.replace('127.0.0.1', 'localhost') ?? '',
      ]),
    );
    const said = await complaint(elsewhere, everyEngine);
    expect(said?.split('\n')).to.deep.equal(everyEngine.map((engine) => `${engine} ${OTHER_HOST}`));
  });

  it('uses the authority in the URL of Postgres if there is one', async () => {
    const { authority, strangerAuthority } = engines.certificates;
    const url = `${engines.env['DATABASE_URL'] ?? ''}&sslrootcert=`;
    expect(
      await complaint({ TLS_CA_FILE: strangerAuthority, DATABASE_URL: `${url}${authority}` }, ['Postgres']),
    ).to.equal(undefined);
    expect(await complaint({ DATABASE_URL: `${url}${strangerAuthority}` }, ['Postgres'])).to.equal(
      `Postgres ${UNTRUSTED}`,
    );
  });

  it('reports which engine rejects a password, and never prints one', async () => {
    const wrongUrl = engines.env['DATABASE_URL']?.replace(/:[^:@/]+@/, ':wrong-secret@') ?? '';
    const wrong = { DATABASE_URL: wrongUrl, CLICKHOUSE_PASSWORD: 'wrong-secret' };
    const said = await complaint(wrong, ['ClickHouse', 'Postgres']);
    expect(said?.split('\n')).to.deep.equal([`ClickHouse ${REJECTED}`, `Postgres ${REJECTED}`]);
  });

  describe('Redis', () => {
    const announce = async (changes: Record<string, string>): Promise<string> => {
      const config: Config = readConfig({ ...engines.env, ...changes });
      const { log, lines } = collectLog();
      const revocations = redisBusOf({ config, log });
      try {
        await revocations.announce('nobody');
        return 'announced';
      } catch {
        return String(lines().find(({ reason }) => reason !== undefined)?.['reason']);
      } finally {
        revocations.close();
      }
    };

    it('gets announcements over TLS', async () => {
      expect(await announce({})).to.equal('announced');
    });

    it('gets none if its certificate is of another authority', async () => {
      const said = await announce({ TLS_CA_FILE: engines.certificates.strangerAuthority });
      expect(said).to.equal(`Redis ${UNTRUSTED}`);
    });

    it('gets none if its certificate is for another host', async () => {
      const said = await announce({
        REDIS_URL: engines.env['REDIS_URL']?.replace('127.0.0.1', 'localhost') ?? '',
      });
      expect(said).to.equal(`Redis ${OTHER_HOST}`);
    });

    it('gets none with a wrong password', async () => {
      const url = engines.env['REDIS_URL']?.replace('//', '//somebody:wrong-secret@') ?? '';
      expect(await announce({ REDIS_URL: url })).to.equal(`Redis ${REJECTED}`);
    });
  });
});
