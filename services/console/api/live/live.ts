import { type ReadonlySignal, computed, effect, signal } from '@preact/signals';
import type { Session } from '../../state/app/session.ts';
import { createSentEvents } from './sent-events.ts';
import type { LiveCounts, LiveStep, LiveVerdict } from '../../types.ts';

/** The latest events of the live stream; undefined until the first one. */
export type LiveEvents = {
  readonly counts: ReadonlySignal<LiveCounts | undefined>;
  /** When `counts` came, in epoch milliseconds of this browser. */
  readonly countsAt: ReadonlySignal<number | undefined>;
  readonly verdict: ReadonlySignal<LiveVerdict | undefined>;
  readonly step: ReadonlySignal<LiveStep | undefined>;
};

/** The live stream of this tab. All components share one connection, which is open only while one of them uses it. */
export type Live = LiveEvents & {
  /** Keeps the stream open until the returned function is called. */
  readonly use: () => () => void;
};

const FIRST_PAUSE_MS = 1000;
const LAST_PAUSE_MS = 15_000;
/** The server sends a comment after 15 s at the latest, so a longer silence is a dead connection. */
const SILENCE_MS = 40_000;
/** The next page may use the stream as well. */
const LINGER_MS = 2000;

export function createLive(session: Session, { document }: Window): Live {
  const counts = signal<LiveCounts | undefined>(undefined);
  const countsAt = signal<number | undefined>(undefined);
  const verdict = signal<LiveVerdict | undefined>(undefined);
  const step = signal<LiveStep | undefined>(undefined);
  const users = signal(0);
  const isHidden = signal(document.hidden);
  document.addEventListener('visibilitychange', () => {
    isHidden.value = document.hidden;
  });
  const isWanted = computed(() => users.value > 0 && !isHidden.value);
  const onEvent = (name: string, data: unknown): void => {
    if (name === 'counts') {
      counts.value = data as LiveCounts; // each is the schema of the event
      countsAt.value = Date.now();
    } else if (name === 'verdict') verdict.value = data as LiveVerdict;
    else if (name === 'change-request') step.value = data as LiveStep;
  };
  effect(() => {
    const isSignedIn = session.credential.value !== undefined;
    if (!isWanted.value || !isSignedIn) return undefined;
    const stop = new AbortController();
    // oxlint-disable-next-line typescript/no-floating-promises -- it ends with `stop`, and never rejects
    keepListening(session, onEvent, stop.signal);
    return () => {
      stop.abort();
    };
  });
  return {
    counts,
    countsAt,
    verdict,
    step,
    use() {
      users.value += 1;
      return () => {
        window.setTimeout(() => {
          users.value -= 1;
        }, LINGER_MS);
      };
    },
  };
}

type OnEvent = (name: string, data: unknown) => void;

/** Connects again after growing pauses, until it is stopped. */
async function keepListening(session: Session, onEvent: OnEvent, stop: AbortSignal): Promise<void> {
  let pauseMs = FIRST_PAUSE_MS;
  while (!stop.aborted) {
    const listen = (name: string, data: unknown): void => {
      pauseMs = FIRST_PAUSE_MS;
      onEvent(name, data);
    };
    await listenOnce(session, listen, stop);
    await pause(pauseMs, stop);
    pauseMs = Math.min(2 * pauseMs, LAST_PAUSE_MS);
  }
}

/** Returns when the stream ends, for whatever reason. EventSource cannot send the token. */
async function listenOnce(session: Session, onEvent: OnEvent, stop: AbortSignal): Promise<void> {
  const silence = createSilence();
  const headers = session.headers();
  try {
    const response = await fetch('api/admin/live', {
      headers: { accept: 'text/event-stream', ...headers },
      signal: AbortSignal.any([stop, silence.signal]),
      cache: 'no-store',
      credentials: 'authorization' in headers ? 'omit' : 'same-origin',
    });
    if (response.status === 401 && !stop.aborted) session.expire();
    if (!response.ok || response.body === null) return;
    const eventsIn = createSentEvents();
    const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return;
      silence.restart();
      for (const { name, data } of eventsIn(value)) onEvent(name, JSON.parse(data));
    }
  } catch {
    // The connection is lost, or no one wants it any more.
  } finally {
    silence.end();
  }
}

/** A signal that is aborted after a long silence. */
function createSilence() {
  const controller = new AbortController();
  const start = () =>
    window.setTimeout(() => {
      controller.abort();
    }, SILENCE_MS);
  let timer = start();
  const end = (): void => {
    window.clearTimeout(timer);
  };
  return {
    signal: controller.signal,
    restart() {
      end();
      timer = start();
    },
    end,
  };
}

function pause(pauseMs: number, stop: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      window.clearTimeout(timer);
      stop.removeEventListener('abort', end);
      resolve();
    };
    const timer = window.setTimeout(end, pauseMs);
    stop.addEventListener('abort', end);
    if (stop.aborted) end();
  });
}
