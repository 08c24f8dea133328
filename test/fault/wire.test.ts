import { expect } from 'chai';
import { freePort } from '../../infra/stack/index.ts';
import { readInsertFailures } from '../support/broken-view.ts';
import { eventually } from '../support/eventually.ts';
import { Ledger } from '../support/ledger.ts';
import { type Load, bodyOf, deliver, push, randomMetrics, startLoad } from '../support/load.ts';
import { type OwnEngine, ownKafka } from '../support/own-engines.ts';
import { type ServiceProcess } from '../support/process.ts';
import { chooseRounds, chooseSeed, createRandom } from '../support/random.ts';
import { type TcpProxy, startTcpProxy } from '../support/tcp-proxy.ts';
import { type World, createWorld } from '../support/world.ts';

const seed = chooseSeed();
const rounds = chooseRounds(2);
const random = createRandom(seed);

describe(`a wire that breaks (SEED=${seed} ROUNDS=${rounds})`, function () {
  this.timeout(90_000 + rounds * 30_000);
  let wire: TcpProxy;
  let world: World;
  let front: ServiceProcess;
  let ledger: Ledger;
  let load: Load | undefined;

  describe('between ingest and Kafka', () => {
    let kafka: OwnEngine;

    before(async () => {
      const port = await freePort();
      // What the broker advertises is where clients connect to, whatever address they were given.
      kafka = await ownKafka({ settings: { 'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}` } });
      wire = await startTcpProxy(() => Number(kafka.address.split(':')[1]), port);
    });
    after(async () => {
      await wire.close();
      await kafka.dispose();
    });
    beforeEach(async () => {
      ledger = new Ledger();
      world = await createWorld({ KAFKA_BROKERS: `127.0.0.1:${wire.port}`, KAFKA_COUNTS_PARTITIONS: '1' });
      [front] = await Promise.all([world.fork('ingest'), world.fork('worker')]);
      await deliver(ledger.open(randomMetrics(random)), 'sender', () => front.url);
    });
    afterEach(async () => {
      await wire.mend();
      await load?.stop();
      await world.dispose();
    });

    it('leaves a batch unanswered whose acknowledgement was lost with the broker, and counts its repetition once', async () => {
      const entry = ledger.open(randomMetrics(random));
      wire.swallowAnswers();
      const first = push({ url: front.url, body: bodyOf(entry), sender: 'sender' });
      await wire.swallowed();
      await wire.cut();

      expect(await first).to.equal('none');
      await wire.mend();
      await deliver(entry, 'sender', () => front.url);
      expect(entry.fate).to.equal('acknowledged');
      await ledger.expectCountedOnce(world);
    });

    it('counts exactly what is acknowledged when it breaks under load', async () => {
      load = startLoad({ ledger, random, url: () => front.url });
      for (let round = 0; round < rounds; round += 1) {
        await load.acknowledged(random.between(5, 40));
        wire.swallowAnswers();
        await wire.swallowed();
        await wire.cut();
        await wire.mend();
      }
      await load.acknowledged(20);
      await load.stop();

      await ledger.expectCountedOnce(world);
    });
  });

  describe('between the worker and ClickHouse', () => {
    afterEach(async () => {
      await load?.stop();
      await world.dispose();
      await wire.close();
    });

    it('counts exactly what is acknowledged when answers to INSERTs are lost', async () => {
      ledger = new Ledger();
      let target = 0;
      wire = await startTcpProxy(() => target);
      world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
      target = Number(new URL(world.config.clickhouse.url).port);
      const [started, worker] = await Promise.all([
        world.fork('ingest'),
        world.fork('worker', { CLICKHOUSE_URL: `http://127.0.0.1:${wire.port}` }),
      ]);
      front = started;
      load = startLoad({ ledger, random, url: () => front.url });
      await eventually(
        () => world.books(),
        ({ partitions }) => partitions.length > 0,
      );
      for (let round = 0; round < rounds; round += 1) {
        await load.acknowledged(random.between(5, 40));
        const failures = await readInsertFailures(worker);
        wire.swallowAnswers();
        await wire.swallowed();
        await wire.cut();
        await eventually(
          () => readInsertFailures(worker),
          (now) => now > failures,
        );
        await wire.mend();
      }
      await load.acknowledged(20);
      await load.stop();

      await ledger.expectCountedOnce(world);
    });
  });
});
