import { setTimeout as sleep } from 'node:timers/promises';
import { createHub } from '#base/auth';
import { type Config, FlagmeterError, type Log, type ReadyMessage, overrideSettings } from '#base/runtime';
import { type ServiceName, sharePorts } from './fork-service.ts';
import type { PeersMessage } from './peers.ts';
import { type Supervised, supervise } from './process-supervisor.ts';

/** The processes of `flagmeter start`, each in a slot with a name. A slot keeps its name while processes come and go. */
export type Processes = {
  /** Resolves when all are ready for the first time, with the addresses. */
  readonly ready: Promise<ReadyMessage>;
  /**
   * Replaces one process after the other: its successor is ready before it stops. Rejects if a successor is not ready in time;
   * the process then stays, and so do those after it.
   */
  replaceAll(): Promise<void>;
  stop(): Promise<void>;
};

type ProcessSlot = { readonly name: string; readonly service: ServiceName; running: Supervised };

export function startAll(config: Config, env: NodeJS.ProcessEnv, log: Log): Processes {
  let isStopping = false;
  const introducePeers = (): void => {
    const peers = Object.fromEntries(
      [...standalone, ...others].map(({ name, running }) => [name, started.addressOf(running)]),
    );
    for (const { name, running } of standalone) running.send({ name, peers } satisfies PeersMessage);
  };
  const started = createStarted(env, log, introducePeers);
  const open = (service: ServiceName, name: string): ProcessSlot => ({
    service,
    name,
    running: started.start(service, name),
  });
  const replace = async (slot: ProcessSlot): Promise<void> => {
    const successor = started.start(slot.service, slot.name);
    try {
      await untilAccepting(ownUrlOf(await successor.ready), slot.name);
    } catch (error) {
      await started.end(successor, successor.stop());
      throw error;
    }
    const old = slot.running;
    slot.running = successor;
    introducePeers();
    await started.end(old, slot.service === 'standalone' ? old.leave() : old.stop());
  };

  sharePorts(config.processes);
  const standalone = namesOf(config.processes).map((name) => open('standalone', name));
  const others = servicesBeside(config).map((service) => open(service, service));
  return {
    ready: untilAllReady(standalone, others),
    async replaceAll() {
      // Workers first, because an older one cannot decode all messages of a newer ingest.
      for (const slot of [...others, ...standalone]) {
        if (isStopping) return;
        await replace(slot);
      }
    },
    async stop() {
      isStopping = true;
      for (const running of started.all) running.expectEnd();
      // The others stop last, because they handle what the standalone processes still accept.
      const last = new Set(others.map(({ running }) => running));
      const first = [...started.all].filter((running) => !last.has(running));
      await Promise.all(first.map((running) => running.stop()));
      await Promise.all([...last].map((running) => running.stop()));
    },
  };
}

/** The other processes must not take the ports of the standalone processes. */
const ADDRESS_BESIDE = { PORT: '0', HTTP_HOST: '127.0.0.1', OPS_PORT: '' };

/** The processes that were started and have not been ended. A process and its successor run at the same time. */
function createStarted(env: NodeJS.ProcessEnv, log: Log, onReady: () => void) {
  /** The own addresses of those that are ready. */
  const addresses = new Map<Supervised, string>();
  const all = new Set<Supervised>();
  const hub = createHub();
  return {
    all: all as ReadonlySet<Supervised>,
    addressOf: (running: Supervised): string | null => addresses.get(running) ?? null,
    start(service: ServiceName, name: string): Supervised {
      const running = supervise({
        service,
        name,
        env: service === 'standalone' ? env : overrideSettings(env, ADDRESS_BESIDE),
        log,
        onStart(child) {
          if (service === 'standalone') hub.join(child);
        },
        onReady(message) {
          addresses.set(running, ownUrlOf(message));
          onReady();
        },
      });
      all.add(running);
      return running;
    },
    async end(running: Supervised, ended: Promise<void>): Promise<void> {
      await ended;
      all.delete(running);
      addresses.delete(running);
    },
  };
}

async function untilAllReady(
  standalone: readonly ProcessSlot[],
  others: readonly ProcessSlot[],
): Promise<ReadyMessage> {
  const [messages] = await Promise.all([
    Promise.all(standalone.map(({ running }) => running.ready)),
    Promise.all(others.map(({ running }) => running.ready)),
  ]);
  await Promise.all(messages.map((message) => untilAccepting(ownUrlOf(message), 'standalone')));
  const [first] = messages;
  if (first === undefined) throw new RangeError('there is at least one process');
  return first;
}

function namesOf(processes: number): string[] {
  if (processes === 1) return ['standalone'];
  return Array.from({ length: processes }, (_, index) => `standalone-${index + 1}`);
}

function ownUrlOf({ ownUrl, url }: ReadyMessage): string {
  return ownUrl ?? url;
}

function servicesBeside({ unleash }: Config): ServiceName[] {
  const hasWork = unleash?.mirror !== undefined || unleash?.adminToken !== undefined;
  return hasWork ? ['worker', 'unleash-bridge'] : ['worker'];
}

const ACCEPTING_DEADLINE_MS = 30_000;
const LOOK_DEADLINE_MS = 5000;
const PAUSE_MS = 50;

/** Waits until the process is ready: a process that already listens rejects batches until it has reached Kafka. */
async function untilAccepting(url: string, name: string): Promise<void> {
  const deadline = Date.now() + ACCEPTING_DEADLINE_MS;
  for (;;) {
    const answer = await lookAt(`${url}/ready`);
    if (answer === undefined) return;
    if (Date.now() > deadline)
      throw new FlagmeterError('service-start', `The ${name} process is not ready: ${answer}`);
    await sleep(PAUSE_MS);
  }
}

/** The reason why the process is not ready; undefined if it is ready. */
async function lookAt(url: string): Promise<string | undefined> {
  try {
    const response = await fetch(url, { signal: AbortSignal.timeout(LOOK_DEADLINE_MS) });
    const text = await response.text();
    return response.ok ? undefined : text;
  } catch (error) {
    return String(error);
  }
}
