import { setTimeout as sleep } from 'node:timers/promises';
import { inBackground } from '#base/runtime';
import { tokenOf } from '../names.ts';
import { createActor } from '../time/schedule.ts';
import { type Try, postToIngest } from './post.ts';
import { COUNTERS, type Content, SdkProcess, type StoredOutcome } from './sdk-process.ts';
import type { Surroundings } from './surroundings.ts';

/** A body that an exporter sent. */
export type Export = Omit<Content, 'body' | 'signal'> & {
  /** When its process started. */
  readonly startedAt: number;
  readonly tries: readonly Try[];
};

export type SimulatedExporter = {
  readonly name: string;
  readonly appName: string;
  readonly exports: readonly Export[];
  /** How flagmeter stores the outcome of each feature. */
  readonly outcomes: ReadonlyMap<string, StoredOutcome>;
  /** It evaluates nothing more, and sends the values of its counters until they are accepted. */
  finish(): void;
  isFinished(): boolean;
};

const EXPORT_EVERY_MS = 6000;
/** All tries of one body, with the pauses between them. */
const EXPORT_MS = 10_000;
/** One try. */
const TRY_MS = 3000;
const FIRST_PAUSE_MS = 1000;
const RETRIED: ReadonlySet<number | undefined> = new Set([undefined, 429, 503]);
const ACCEPTED = 200;

/**
 * A process with an SDK of OpenTelemetry, which sends counters and log records, and starts again sometimes. Most of them repeat
 * what got no answer; the values of the others may arrive late. It has randomness of its own, so that a world without exporters stays as it is.
 */
export function startExporter(world: Surroundings, name: string): SimulatedExporter {
  const { schedule, exportRandom: random } = world;
  const actor = createActor(name);
  const appName = `app-${name}`;
  const isCumulative = random() < 0.6;
  const encoding = random() < 0.6 ? 'protobuf' : 'json';
  const repeats = random() < 0.6;
  const exports: Export[] = [];
  const outcomes = new Map<string, StoredOutcome>();
  const stopping = new AbortController();
  let number = 0;
  let life: SdkProcess;
  const begin = (): void => {
    life = new SdkProcess({ name, appName, isCumulative });
  };
  const evaluate = (): void => {
    if (stopping.signal.aborted) return;
    number += 1;
    if (random() < 0.02) begin();
    if (random() < 0.5) outcomes.set(...countOne());
    else {
      const feature = `${name}-record-${number}`;
      for (let times = 1 + Math.floor(random() * 2); times > 0; times -= 1)
        outcomes.set(feature, life.record(feature, number));
    }
    next();
  };
  const countOne = (): [feature: string, outcome: StoredOutcome] => {
    const index = isCumulative ? number % COUNTERS : number;
    const feature = `${name}-counter-${index}`;
    return [feature, life.count(feature, index, 1 + Math.floor(random() * 5))];
  };
  const next = (): void => {
    schedule.after(actor, random() * 2 * world.recordEveryMs, { label: 'evaluate', action: evaluate });
  };
  /** Returns whether everything was accepted. */
  const exportAll = async (): Promise<boolean> => {
    const accepted = await Promise.all(life.collect().map((content) => send(content, life)));
    return accepted.every(Boolean);
  };
  const send = async ({ body, signal, ...content }: Content, from: SdkProcess): Promise<boolean> => {
    const tries: Try[] = [];
    exports.push({ ...content, startedAt: from.startedAt, tries });
    if (content.kind === 'evaluations') noteEvaluations(world, content.items, outcomes);
    const status = await post(
      { signal, body: Buffer.from(body[encoding]), isOver: () => life !== from },
      tries,
    );
    if (status === ACCEPTED) world.registered.add(appName);
    else if (!RETRIED.has(status)) world.report(`${name} got ${status} for ${signal}`);
    return status === ACCEPTED;
  };
  const post = async (
    {
      signal,
      body,
      isOver,
    }: { readonly signal: string; readonly body: Buffer; readonly isOver: () => boolean },
    tries: Try[],
  ): Promise<number | undefined> => {
    const headers = { authorization: tokenOf(name).secret, 'content-type': TYPES[encoding] };
    const deadline = Date.now() + EXPORT_MS;
    for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs *= 1.5) {
      const timeoutMs = Math.min(TRY_MS, deadline - Date.now());
      const request = { path: `/v1/${signal}`, headers, body, timeoutMs };
      const status = await postToIngest(world, request, tries).catch(() => undefined);
      if (!repeats || !RETRIED.has(status) || isOver() || Date.now() + pauseMs >= deadline) return status;
      await sleep(pauseMs);
    }
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await sleep(EXPORT_EVERY_MS * (0.5 + random()));
      await exportAll();
    }
  };
  let running = Promise.resolve();
  let isFinished = false;
  schedule.after(actor, 0, {
    label: 'exporter starts',
    action: () => {
      begin();
      next();
      running = run();
    },
  });
  const finish = async (): Promise<void> => {
    stopping.abort();
    await running;
    while (!(await exportAll())) await sleep(EXPORT_EVERY_MS);
    isFinished = true;
  };
  return {
    name,
    appName,
    exports,
    outcomes,
    isFinished: () => isFinished,
    finish() {
      schedule.after(actor, 0, {
        label: 'exporter finishes',
        action: () => {
          inBackground(finish(), (error) => {
            world.report(`${name} failed: ${String(error)}`);
          });
        },
      });
    },
  };
}

const TYPES = { protobuf: 'application/x-protobuf', json: 'application/json' } as const;

/** Each has its own feature. */
function noteEvaluations(
  { recorded, withVariants }: Surroundings,
  items: Export['items'],
  outcomes: SimulatedExporter['outcomes'],
): void {
  for (const [feature, count] of items) {
    recorded.set(feature, count);
    if (outcomes.get(feature)?.hasVariant === true) withVariants.add(feature);
  }
}
