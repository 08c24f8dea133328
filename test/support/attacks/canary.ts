import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import { eventually } from '../eventually.ts';
import { contentionOf, readScheduling } from '../stack/measures/contention.ts';
import { readMemory } from '../stack/measures/memory.ts';
import type { ServiceProcess } from '../stack/processes/process.ts';
import { aFreshMetric, bodyOf } from '../requests/post.ts';
import { push } from '../stories/load.ts';
import type { World } from '../world.ts';

/** An honest relay beside an attack, which also watches the memory of the attacked process. */
export type Canary = {
  /** The duration of an attack: resolves when so many more batches have an answer, or their deadline has passed. */
  answered(more: number): Promise<void>;
  /**
   * Ends the watch, after the attacker has left. Throws unless every batch got 202 (p99 at most a second more than this
   * machine needs without an attack), the process is alive, its memory rose by less than 100 MiB, and nothing of the attack is
   * left in it. If other processes keep the cores from the attacked one, the second is as many times longer. The process must come
   * from `forkAttacked`.
   */
  expectUnharmed(): Promise<void>;
  /**
   * Ends the watch and returns the measurements. Throws unless every batch got 202 (with the same p99) and the process is
   * alive.
   */
  expectAnswered(): Promise<{ readonly batches: number; readonly p99Ms: number }>;
};

const PAUSE_MS = 20;
const WARM_UP = 100;
const MIB = 1024 * 1024;
/** On a quiet machine. A busy one makes it longer, and adds what an answer takes without an attack, several times. */
const LONGEST_MS = 1000;
const CALM_TIMES = 5;
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

/**
 * Warms the service up, so that its normal memory does not count as a rise. Then it posts small batches continuously.
 */
export async function releaseCanary(service: ServiceProcess): Promise<Canary> {
  const calm: number[] = [];
  for (let batch = 0; batch < WARM_UP; batch += 1) calm.push((await timeSmallBatch(service)).waitMs);
  const heldBefore = await service.readHeldMemory();
  const before = await readMemory(service);
  const schedulingBefore = await readScheduling(service);
  const seen = { answers: new Map<string, number>(), waitsMs: [] as number[], maxMemory: before };
  const calmMs = CALM_TIMES * p99Of(calm);
  const running = { isStopping: false };
  const posting = keepPosting(service, seen, running);
  inBackground(posting, () => undefined); // `stop` reports it
  const stop = async (problems: () => readonly string[]): Promise<void> => {
    running.isStopping = true;
    await posting;
    const contention = contentionOf(schedulingBefore, await readScheduling(service));
    const longestMs = LONGEST_MS * contention + calmMs;
    const found = [...findWrongAnswers(service, seen, longestMs), ...problems()];
    if (found.length > 0) throw new Error(`the attack did harm: ${found.join('; ')}`);
  };
  return {
    async answered(more) {
      const goal = seen.waitsMs.length + more;
      const deadline = Date.now() + more * (LONGEST_MS + calmMs);
      while (seen.waitsMs.length < goal && Date.now() < deadline) await sleep(PAUSE_MS);
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
      return { batches: seen.waitsMs.length, p99Ms: Math.round(p99Of(seen.waitsMs)) };
    },
  };
}

type Seen = {
  readonly answers: Map<string, number>;
  readonly waitsMs: number[];
  maxMemory: number;
};

async function keepPosting(
  service: ServiceProcess,
  seen: Seen,
  running: { readonly isStopping: boolean },
): Promise<void> {
  while (!running.isStopping && !service.hasEnded()) {
    const { answer, waitMs } = await timeSmallBatch(service);
    seen.waitsMs.push(waitMs);
    seen.answers.set(answer, (seen.answers.get(answer) ?? 0) + 1);
    if (!service.hasEnded()) seen.maxMemory = Math.max(seen.maxMemory, await readMemory(service));
    await sleep(PAUSE_MS);
  }
}

async function timeSmallBatch({ url }: ServiceProcess): Promise<{ answer: string; waitMs: number }> {
  const begun = performance.now();
  const answer = await push({ url, body: bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }) });
  const waitMs = performance.now() - begun;
  return { answer: typeof answer === 'string' ? answer : String(answer.status), waitMs };
}

function findWrongAnswers(service: ServiceProcess, seen: Seen, longestMs: number): string[] {
  const others = [...seen.answers].filter(([answer]) => answer !== '202');
  const p99 = p99Of(seen.waitsMs);
  return [
    ...(service.hasEnded() ? ['the process ended'] : []),
    ...others.map(([answer, times]) => `the relay got ${answer} ${times} times of ${seen.waitsMs.length}`),
    ...(p99 > longestMs
      ? [`the p99 of its answers was ${Math.round(p99)} ms, and may be ${Math.round(longestMs)} ms`]
      : []),
  ];
}

function p99Of(waitsMs: readonly number[]): number {
  const sorted = [...waitsMs].sort((a, b) => a - b);
  return sorted[Math.ceil(sorted.length * 0.99) - 1] ?? Infinity;
}

function findRise({ maxMemory }: Seen, before: number): string[] {
  return maxMemory - before > MAX_RISE ? [`memory rose by ${inMib(maxMemory - before)} MiB`] : [];
}

function inMib(bytes: number): number {
  return Math.round(bytes / MIB);
}
