import { expect } from 'chai';
import { type Config, type Log, type Service, readConfig } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { startWorker } from '../../../../services/worker/index.ts';
import { eventually } from '../../../support/eventually.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { post } from '../../../support/requests/post.ts';
import { type World, sharedWorld } from '../../../support/world.ts';

const NOWHERE = '127.0.0.1:1';
const SECRET = 'a-password-of-nobody';

type Ready = { readonly status: number; readonly message: string | undefined };

type Start = (config: Config, log: Log) => Promise<Service>;
const SERVICES = {
  ingest: startIngest,
  admin: startAdmin,
  worker: (config, log) =>
    startWorker(config, log, (error) => {
      throw error;
    }),
} satisfies Record<string, Start>;

async function readyOf({ url }: { readonly url: string }, path = '/ready'): Promise<Ready> {
  const answer = await fetch(url + path);
  const { message } = (await answer.json()) as { message?: string };
  return { status: answer.status, message };
}

describe('readiness', () => {
  const world = sharedWorld();

  describe('the readiness of flagmeter start', () => {
    let wire: TcpProxy;
    let throughWire: string;
    before(async () => {
      const url = new URL(world.config.postgres.url);
      const port = Number(url.port);
      wire = await startTcpProxy(() => port);
      url.port = String(wire.port);
      throughWire = url.toString();
    });
    after(() => wire.close());
    afterEach(() => wire.mend());

    it('stays that of ingest while Postgres is frozen and batches are accepted; that of the admin API is separate', async () => {
      const standalone = await world.fork('standalone', { DATABASE_URL: throughWire });
      await eventually(() => readyOf(standalone, '/ready/admin'), isReady);
      expect((await post(standalone)).status).to.equal(202);
      wire.swallowAnswers();
      const ofAdmin = await eventually(
        () => readyOf(standalone, '/ready/admin'),
        ({ status }) => status === 503,
      );
      const ofIngest = await readyOf(standalone);
      const batch = await post(standalone);
      const stillFrozen = await readyOf(standalone, '/ready/admin');
      await wire.cut();
      await wire.mend();
      await eventually(() => readyOf(standalone, '/ready/admin'), isReady);
      await standalone.kill();

      expect(ofAdmin.message).to.equal('Postgres cannot be reached: it does not answer in time.');
      expect(ofIngest.status).to.equal(200);
      expect(batch.status).to.equal(202);
      expect(stillFrozen.status).to.equal(503);
    });
  });

  describe('a service that has never reached an engine', () => {
    const at = (host: string, database: string): string => {
      const url = new URL(database);
      url.host = host;
      return url.toString();
    };
    const withPassword = (database: string): string => {
      const url = new URL(database);
      url.password = SECRET;
      return url.toString();
    };

    const readingOnly = (database: string): string => {
      const url = new URL(database);
      url.searchParams.set('options', '-c default_transaction_read_only=on');
      return url.toString();
    };

    type Case = {
      readonly service: keyof typeof SERVICES;
      readonly trouble: string;
      readonly env: (env: World['env']) => Record<string, string>;
      readonly message: string;
    };
    const CASES: readonly Case[] = [
      {
        service: 'ingest',
        trouble: 'no Kafka',
        env: () => ({ KAFKA_BROKERS: NOWHERE }),
        message: 'Kafka has not been reached yet. Kafka cannot be reached: nothing listens at its address.',
      },
      {
        service: 'ingest',
        trouble: 'too few partitions',
        env: () => ({ KAFKA_COUNTS_PARTITIONS: '9' }),
        message:
          'Kafka has not been reached yet. The topic <counts> has 2 of 9 partitions: run flagmeter migrate.',
      },
      {
        service: 'ingest',
        trouble: 'no Postgres, so that it knows no token',
        env: ({ DATABASE_URL = '' }) => ({ DATABASE_URL: at(NOWHERE, DATABASE_URL) }),
        message: 'No token can be verified. Postgres cannot be reached: nothing listens at its address.',
      },
      {
        service: 'admin',
        trouble: 'a wrong password of Postgres',
        env: ({ DATABASE_URL = '' }) => ({ DATABASE_URL: withPassword(DATABASE_URL) }),
        message: 'Postgres rejects the user name, the password or the client certificate.',
      },
      {
        service: 'admin',
        trouble: 'a Postgres that only reads',
        env: ({ DATABASE_URL = '' }) => ({ DATABASE_URL: readingOnly(DATABASE_URL) }),
        message: 'Postgres only reads: it is a standby, or the database or the role is set to read only.',
      },
      {
        service: 'worker',
        trouble: 'a wrong password of ClickHouse',
        env: () => ({ CLICKHOUSE_PASSWORD: SECRET }),
        message:
          'The consumers have not joined their groups yet. ClickHouse rejects the user name, the password or the client certificate.',
      },
      {
        service: 'worker',
        trouble: 'no Kafka',
        env: () => ({ KAFKA_BROKERS: NOWHERE }),
        message:
          'The consumers have not joined their groups yet. Kafka cannot be reached: nothing listens at its address.',
      },
    ];
    for (const { service, trouble, env, message } of CASES)
      it(`${service} with ${trouble} says why it is not ready`, async () => {
        const started = await SERVICES[service](readConfig({ ...world.env, ...env(world.env) }), world.log);
        const expected = message.replace('<counts>', world.config.kafka.topics.counts);
        const ready = await eventually(
          () => readyOf(started),
          (now) => now.message === expected,
        );
        await started.stop();

        expect(ready.status).to.equal(503);
        expect(JSON.stringify(ready)).not.to.include(SECRET);
      });
  });
});

function isReady({ status }: Ready): boolean {
  return status === 200;
}
