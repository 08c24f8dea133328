import { type Log, inBackground } from '#base/runtime';
import { createRandom } from '#tooling/traffic';
import { Brokers } from '../kafka/brokers.ts';
import { createSimulatedKafka } from '../kafka/client.ts';
import { Network } from '../network.ts';
import { Schedule, createActor, withSteps } from '../time/schedule.ts';
import { enterSimulation, installVirtualTime } from '../time/virtual-time.ts';
import { runClickHouseScript } from './clickhouse-script.ts';
import { runKafkaScript } from './kafka-script.ts';
import { runReplicasScript } from './replicas-script.ts';
import { createSimulatedClickHouse } from './simulated-clickhouse.ts';
import { createSimulatedReplicas } from './simulated-replicas.ts';

/** Runs a script on simulated engines, and prints its answers as JSON: `main.ts clickhouse|replicas|kafka NOW [TORN]` (epoch milliseconds;
 * the parts of a killed INSERT that are stored, as JSON). */
const [engine, now = '0', torn = '[]'] = process.argv.slice(2);
installVirtualTime();
const schedule = new Schedule(Number(now));
const random = createRandom(1);
enterSimulation(schedule, createRandom(2));
let answers: unknown[] | undefined;
const run = async (): Promise<void> => {
  if (engine === 'kafka') answers = await onKafka();
  else answers = await (engine === 'replicas' ? onReplicas() : onClickHouse());
};
schedule.after(createActor('script'), 0, {
  label: 'script',
  action: () => {
    inBackground(run());
  },
});
await withSteps(() => {
  while (answers === undefined) if (!schedule.step()) throw new Error('the script waits for nothing');
});
process.stdout.write(JSON.stringify(answers));

function onClickHouse(): Promise<unknown[]> {
  return runClickHouseScript(createSimulatedClickHouse(schedule, JSON.parse(torn) as string[]), Number(now));
}

function onReplicas(): Promise<unknown[]> {
  return runReplicasScript(createSimulatedReplicas(schedule), Number(now));
}

function onKafka(): Promise<unknown[]> {
  const brokers = new Brokers(schedule, random);
  brokers.createTopic('counts', 2);
  const kafka = createSimulatedKafka({ schedule, random, brokers, network: new Network(schedule, random) });
  const silent = { info: ignore, warn: ignore, error: ignore, debug: ignore };
  return runKafkaScript({
    kafka,
    topic: 'counts',
    groupId: 'script',
    log: silent as unknown as Log, // what is used exists
    forget(before) {
      brokers.logOf('counts', 0).deleteTo(Number(before));
      return Promise.resolve();
    },
    limit(bytesPerSecond) {
      brokers.longestThrottleMs = bytesPerSecond === undefined ? 0 : 2000;
      return Promise.resolve();
    },
    createAgain() {
      brokers.deleteTopic('counts');
      brokers.createTopic('counts', 2);
      return Promise.resolve();
    },
  });
}

function ignore(): void {
  // Only the answers matter.
}
