import { once } from 'node:events';
import path from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import { inBackground } from '#base/runtime';
import { eventually } from '../../eventually.ts';
import { aFreshMetric, bodyOf } from '../../requests/post.ts';
import { readMemory } from '../../stack/measures/memory.ts';
import type { ServiceProcess } from '../../stack/processes/process.ts';
import { CLIENT_TOKEN, type World } from '../../world.ts';
import { type Answered, type Relayed, postSmallBatch } from './relay.ts';

/** An honest relay beside an attack, which also watches the memory of the attacked process. */
export type Canary = {
  /** The duration of an attack: resolves when so many more batches have an answer, or waited as long as a relay does. */
  answered(more: number): Promise<void>;
  /**
   * Ends the watch, after the attacker has left. Throws unless every batch got 202, of a hundred batches at most one waited while the
   * process worked for more than a second, the process is alive, its memory rose by less than 100 MiB, and nothing of the attack is
   * left in it. Not the wait is measured but the CPU that the process took meanwhile, because a wait also grows if a busy machine
   * has no core for anybody. The process must come from `forkAttacked`.
   */
  expectUnharmed(): Promise<void>;
  /**
   * Ends the watch and returns the measurements. Throws unless every batch got 202 after as little work, and the process is
   * alive.
   */
  expectAnswered(): Promise<{ readonly batches: number; readonly p99Ms: number }>;
};

const RELAY = path.join(import.meta.dirname, 'relay.ts');
const LOOK_MS = 20;
const WARM_UP = 100;
const MIB = 1024 * 1024;
/** Of CPU of the thread that answers. */
const MOST_WORK_MS = 1000;
const MAX_RISE = 100 * MIB;
/**
 * What a process may hold more than before: compiled code and caches. Not its resident memory, because allocators keep up to
 * 40 MiB of pages that are free, and return them when they like.
 */
const MAX_LEFT = 10 * MIB;

/** V8 keeps the code of a start, some 13 MiB, until it is old by so many collections. It would hide what an attack leaves. */
const COLLECTIONS = 5;

/** Forks a service that collects its garbage when its canary asks for it. */
export async function forkAttacked(
  world: World,
  service: string,
  env: Readonly<Record<string, string>> = {},
): Promise<ServiceProcess> {
  const attacked = await world.fork(service, env, ['collect-garbage', 'report-usage']);
  for (let round = 0; round < COLLECTIONS; round += 1) await attacked.readHeldMemory();
  return attacked;
}

/** Those of earlier canaries. */
const warm = new WeakSet<ServiceProcess>();

/**
 * Warms the service up, so that its normal memory does not count as a rise. Then it posts small batches continuously.
 */
export async function releaseCanary(service: ServiceProcess): Promise<Canary> {
  const relayed: Relayed = {
    url: service.url,
    pid: service.pid,
    headers: { authorization: CLIENT_TOKEN, 'content-type': 'application/json' },
    body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }),
  };
  if (!warm.has(service)) for (let batch = 0; batch < WARM_UP; batch += 1) await postSmallBatch(relayed);
  warm.add(service);
  const heldBefore = await service.readHeldMemory();
  const before = await readMemory(service);
  const seen: Answered[] = [];
  const relay = new Worker(RELAY, { workerData: relayed });
  relay.on('message', (answered: Answered) => seen.push(answered));
  const ended = once(relay, 'exit');
  inBackground(ended, () => undefined); // `stop` reports it
  const stop = async (problems: () => readonly string[]): Promise<void> => {
    relay.postMessage('stop');
    await ended;
    const found = [...(service.hasEnded() ? ['the process ended'] : []), ...findHarm(seen), ...problems()];
    if (found.length > 0) throw new Error(`the attack did harm: ${found.join('; ')}`);
  };
  return {
    async answered(more) {
      const goal = seen.length + more;
      while (seen.length < goal) await sleep(LOOK_MS);
    },
    async expectUnharmed() {
      await stop(() => findRise(seen, before));
      await eventually(
        async () => inMib((await service.readHeldMemory()) - heldBefore),
        (left) => left < inMib(MAX_LEFT),
      );
    },
    async expectAnswered() {
      await stop(() => []);
      return { batches: seen.length, p99Ms: Math.round(p99Of(seen.map(({ waitMs }) => waitMs))) };
    },
  };
}

function findHarm(seen: readonly Answered[]): string[] {
  const others = seen.map(({ answer }) => answer).filter((answer) => answer !== '202');
  const workMs = Math.round(p99Of(seen.map((answered) => answered.workMs)));
  return [
    ...(others.length > 0
      ? [`the relay got ${[...new Set(others)].join(', ')} ${others.length} times of ${seen.length}`]
      : []),
    ...(workMs > MOST_WORK_MS
      ? [`the process worked ${workMs} ms before it answered, and may work ${MOST_WORK_MS} ms (p99)`]
      : []),
  ];
}

function p99Of(values: readonly number[]): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity;
}

function findRise(seen: readonly Answered[], before: number): string[] {
  const most = seen.reduce((max, { memoryBytes = 0 }) => Math.max(max, memoryBytes), before);
  return most - before > MAX_RISE ? [`memory rose by ${inMib(most - before)} MiB`] : [];
}

function inMib(bytes: number): number {
  return Math.round(bytes / MIB);
}
