import { execFile } from 'node:child_process';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import { readConfig } from '#base/runtime';
import { startAdmin } from '../../../../services/admin/app.ts';
import { startIngest } from '../../../../services/ingest/app.ts';
import { startWorker } from '../../../../services/worker/index.ts';
import { inheritedEnv } from '../../../../tools/clock/inherited-env.ts';
import { type OwnEngine, ownKafka } from '../../../support/stack/engines/own-engines.ts';
import { describeNightly } from '../../../support/nightly.ts';
import { programOf } from '../../../support/stack/processes/programs.ts';
import { type TcpProxy, startTcpProxy } from '../../../support/stack/proxies/tcp-proxy.ts';
import { aFreshMetric, bodyOf, post } from '../../../support/requests/post.ts';
import { usageOf } from '../../../support/stories/counting.ts';
import { type World, createWorld, untilReady } from '../../../support/world.ts';

/** Six tries with their back-offs. */
const LONGER_THAN_KAFKAJS_MS = 8000;

describeNightly('services that are started before their engines', () => {
  let kafka: OwnEngine;
  let world: World;
  let wires: { clickhouse: TcpProxy; postgres: TcpProxy };
  let throughWires: Record<string, string>;

  before(async () => {
    kafka = await ownKafka();
    world = await createWorld({ KAFKA_BROKERS: kafka.address });
    wires = {
      clickhouse: await startTcpProxy(() => portOf('CLICKHOUSE_URL')),
      postgres: await startTcpProxy(() => portOf('DATABASE_URL')),
    };
    throughWires = {
      CLICKHOUSE_URL: `http://127.0.0.1:${wires.clickhouse.port}`,
      DATABASE_URL: databaseAt(wires.postgres.port),
    };
  });
  beforeEach(async () => {
    await kafka.kill();
    await wires.clickhouse.cut();
    await wires.postgres.cut();
  });
  afterEach(async () => {
    await kafka.revive();
    await wires.clickhouse.mend();
    await wires.postgres.mend();
  });
  after(async () => {
    await world.dispose();
    await wires.clickhouse.close();
    await wires.postgres.close();
    await kafka.dispose();
  });

  it('are alive, become ready by themselves when the engines start, and count', async () => {
    const failures: unknown[] = [];
    const config = readConfig({ ...world.env, ...throughWires });
    const services = await Promise.all([
      startIngest(config, world.log),
      startWorker(config, world.log, (error) => failures.push(error)),
      startAdmin(config, world.log),
    ]);
    const [ingest] = services;
    for (const service of services) {
      expect((await fetch(`${service.url}/health`)).status).to.equal(200);
      expect((await fetch(`${service.url}/ready`)).status).to.equal(503);
    }
    await wires.clickhouse.mend();
    // The worker now waits only for Kafka, and must do so for longer than kafkajs itself retries.
    await sleep(LONGER_THAN_KAFKAJS_MS);
    expect(failures).to.deep.equal([]);
    await kafka.revive();
    await wires.postgres.mend();
    await Promise.all(services.map(({ url }) => untilReady(url)));

    const body = bodyOf({ metrics: [aFreshMetric({ featureName: 'late', yes: 3 })] });
    expect((await post(ingest, { body })).status).to.equal(202);
    await world.settled();
    expect((await usageOf(world, 'late')).yes).to.equal(3);
    await Promise.all(services.map((service) => service.stop()));
    expect(failures).to.deep.equal([]);
  });

  it('stop in order while they wait', async () => {
    const worker = await world.launch('worker', throughWires);
    expect(await worker.stop()).to.equal(0);
  });

  it('have a command that prints one sentence for each engine that is down', async () => {
    const { code, stderr } = await runCommand(['migrate'], { ...world.env, ...throughWires });
    expect(code).to.equal(1);
    expect(stderr.trim().split('\n')).to.deep.equal([
      'flagmeter: Postgres cannot be reached: nothing listens at its address.',
      'ClickHouse cannot be reached: nothing listens at its address.',
      'Kafka cannot be reached: nothing listens at its address.',
    ]);
  });

  function portOf(name: string): number {
    return Number(new URL(world.env[name] ?? '').port);
  }

  function databaseAt(port: number): string {
    const url = new URL(world.env['DATABASE_URL'] ?? '');
    url.port = String(port);
    return url.toString();
  }
});

type Ended = { readonly code: number; readonly stderr: string };

function runCommand(args: readonly string[], env: Record<string, string>): Promise<Ended> {
  const program = programOf('cli');
  const options = { env: { ...inheritedEnv(), ...env, LOG_LEVEL: 'warn' }, timeout: 60_000 };
  return new Promise((resolve) => {
    execFile(
      process.execPath,
      [...program.options, program.file, ...args],
      options,
      (error, _stdout, stderr) => {
        resolve({ code: typeof error?.code === 'number' ? error.code : error === null ? 0 : -1, stderr });
      },
    );
  });
}
