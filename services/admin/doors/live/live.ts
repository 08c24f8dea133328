import type { Readable } from 'node:stream';
import type { AccountingReader } from '#core/accounting';
import { Gauge, type Log, type Registry, inBackground } from '#base/runtime';
import { type Listener, createListeners } from './listeners.ts';
import { type LiveStores, type LiveEvent, type Sources, startSources } from './sources.ts';

export type LiveOptions = {
  readonly accounting: AccountingReader;
  readonly stores: LiveStores;
  readonly registry: Registry;
  readonly log: Log;
  /** Pause between two readings of the verdicts. */
  readonly verdictsPauseMs?: number;
};

/** The stream of live events. The engines are read only while somebody listens, and once for all listeners of the process. */
export type Live = {
  /** Adds a listener; throws a 429 or a 503 if there are too many. */
  listen(listener: Listener): Readable;
  /** Ends all streams. */
  end(): void;
  /** Waits until no engine is being read. */
  stop(): Promise<void>;
};

/** Browsers wait for this time before they connect again. */
const RETRY_MS = 5000;

export function createLive({ registry, log, ...parts }: LiveOptions): Live {
  let sources: Sources | undefined;
  const stopping = new Set<Promise<void>>();
  const listeners = createListeners({
    log,
    onFirst() {
      const publish = (event: LiveEvent): void => {
        listeners.send(textOf(event), (listener) => isSeen(event, listener));
      };
      sources = startSources({ ...parts, log, publish });
    },
    onLast() {
      if (sources !== undefined) inBackground(stop(sources));
      sources = undefined;
    },
  });
  const stop = async (ended: Sources): Promise<void> => {
    const stopped = ended.stop();
    stopping.add(stopped);
    await stopped;
    stopping.delete(stopped);
  };
  new Gauge({
    name: 'flagmeter_admin_live_listeners',
    help: 'Open streams of live events',
    registers: [registry],
    collect() {
      this.set(listeners.count());
    },
  });
  return {
    listen(listener) {
      const current = (sources?.current() ?? []).filter((event) => isSeen(event, listener));
      return listeners.add(listener, [`retry: ${RETRY_MS}\n\n`, ...current.map(textOf)].join(''));
    },
    end: () => {
      listeners.end();
    },
    async stop() {
      await Promise.all(stopping);
    },
  };
}

function isSeen({ project }: LiveEvent, { visible }: Listener): boolean {
  if (visible === undefined || project === undefined) return true;
  return project !== null && visible.includes(project);
}

/** JSON.stringify writes no line breaks, so the data is one line. */
function textOf({ name, data }: LiveEvent): string {
  return `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
}
