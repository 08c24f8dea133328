import { eventually } from '../../eventually.ts';
import { type Fault, type LossyProxy, startLossyProxy } from '../../stack/proxies/lossy-proxy.ts';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import { type World, createWorld } from '../../world.ts';

/** What happens to one request after the other, again and again. An exporter gives up after six tries, so some must arrive. */
const FAULTS: readonly Fault[] = ['cut', 503, 'none', 429, 'cut', 'none'];

/** Two processes of ingest behind a proxy that loses requests and answers, and a worker. */
export type LossyDoor = {
  readonly world: World;
  readonly url: string;
  /** The requests that were stored, but not answered. */
  lostAnswers(): number;
  /** Kills the ingest that gets the requests. The other one gets them now, and another one starts. */
  killIngest(): Promise<void>;
  /** Kills the worker, and starts another. */
  killWorker(): Promise<void>;
  /**
   * From now on every request is stored and answered. Resolves when a sender that sends one request after the other has repeated the one
   * whose answer was lost.
   */
  behave(): Promise<void>;
  /** From now on requests and answers are lost, as at the beginning. */
  misbehave(): void;
  dispose(): Promise<void>;
};

export async function openLossyDoor(): Promise<LossyDoor> {
  const world = await createWorld({ KAFKA_COUNTS_PARTITIONS: '2' });
  let ingests: [ServiceProcess, ServiceProcess] = await Promise.all([
    world.fork('ingest'),
    world.fork('ingest'),
  ]);
  let worker = await world.fork('worker');
  let requests = 0;
  let isLossy = true;
  const proxy: LossyProxy = await startLossyProxy(
    () => ingests[0].url,
    () => (isLossy ? FAULTS[requests++ % FAULTS.length] : undefined) ?? 'none',
  );
  return {
    world,
    url: proxy.url,
    lostAnswers: () => proxy.count('cut'),
    async killIngest() {
      // An exporter gives up before a process has started again, so another one is there.
      const [doomed, other] = ingests;
      ingests = [other, doomed];
      await doomed.kill();
      ingests = [other, await world.fork('ingest')];
    },
    async killWorker() {
      await worker.kill();
      worker = await world.fork('worker');
    },
    async behave() {
      isLossy = false;
      await eventually(
        () => Promise.resolve(proxy.wasAnswered()),
        (isOver) => isOver === true,
      );
    },
    misbehave() {
      isLossy = true;
    },
    async dispose() {
      proxy.close();
      await world.dispose();
    },
  };
}
