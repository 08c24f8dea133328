import type { SendOutcome } from './send-outcome.ts';

/** What a broker said with its last answer. */
export type BrokerNote = {
  readonly nodeId: number;
  /** The broker reads nothing more from this connection until then: epoch milliseconds. */
  readonly quietUntil: number;
};

/** A send that a turn runs. It returns the note of the broker, if a broker was reached. */
type Send = () => Promise<{ readonly outcome: SendOutcome; readonly note: BrokerNote | undefined }>;

/**
 * Sends to one broker take turns. A broker serves one request of a connection at a time, so this delays nothing. A broker above a quota
 * appends the messages, answers at once how long it wants quiet (KIP-219), and reads nothing meanwhile. A second request would already be
 * written, and get its answer so late that its outcome looks unknown. What has no turn is certainly not written.
 */
export class BrokerTurns {
  readonly #onThrottled: (ms: number) => void;
  readonly #brokers = new Map<number, LeaderTurns>();
  /** Where the last send to a partition went. */
  readonly #leaders = new Map<string, LeaderTurns>();
  /** For partitions whose leader is not known yet. */
  readonly #unknown: LeaderTurns = { running: 0, waiting: [], quietUntil: 0 };

  /** `onThrottled` gets each time that a broker wants quiet. */
  constructor(onThrottled: (ms: number) => void) {
    this.#onThrottled = onThrottled;
  }

  /** Sends to a partition, or reports how long the broker wants quiet. */
  async take(topic: string, partition: number, send: Send): Promise<SendOutcome> {
    const place = `${topic}/${partition}`;
    const turns = this.#leaders.get(place) ?? this.#unknown;
    if (turns.running > 0) await new Promise<void>((resolve) => turns.waiting.push(resolve));
    else turns.running = 1;
    let isStored = true;
    try {
      const waitMs = turns.quietUntil - Date.now();
      if (waitMs > 0) return { outcome: 'throttled', reason: 'a quota is exceeded', waitMs };
      const { outcome, note } = await send();
      isStored = outcome.outcome === 'stored';
      if (note !== undefined) this.#note(place, note);
      return outcome;
    } finally {
      pass(turns, isStored);
    }
  }

  #note(place: string, { nodeId, quietUntil }: BrokerNote): void {
    let turns = this.#brokers.get(nodeId);
    if (turns === undefined) {
      turns = { running: 0, waiting: [], quietUntil: 0 };
      this.#brokers.set(nodeId, turns);
    }
    this.#leaders.set(place, turns);
    if (quietUntil <= turns.quietUntil) return;
    this.#onThrottled(quietUntil - Math.max(Date.now(), turns.quietUntil));
    turns.quietUntil = quietUntil;
    this.#unknown.quietUntil = Math.max(this.#unknown.quietUntil, quietUntil);
  }
}

type LeaderTurns = {
  running: number;
  readonly waiting: (() => void)[];
  quietUntil: number;
};

/** The next send begins. After a failure all do: each of them may have to wait for a broker that does not answer. */
function pass(turns: LeaderTurns, isStored: boolean): void {
  turns.running -= 1;
  const next = turns.waiting.splice(0, isStored ? Number(turns.running === 0) : Infinity);
  turns.running += next.length;
  for (const begin of next) begin();
}
