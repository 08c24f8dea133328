import { hash } from 'node:crypto';
import { type Registration, type RepeatedRest, contentOfRegistration, minuteOf } from '#core/counting';
import { Room } from '#base/runtime';

/** Takes about 3 MiB. */
export const MAX_KNOWN_REGISTRATIONS = 20_000;
const MAX_OF_TOKEN = MAX_KNOWN_REGISTRATIONS / 4;

/**
 * The registrations that Kafka has acknowledged in this clock minute, as hashes. An equal one of the same minute needs no message:
 * it would change nothing in Postgres (docs/develop/decisions/core/receiving.md#74-send-equal-registrations-once-a-minute).
 * Relays repeat all that a body says beside its metrics, so these bytes are recognised too, before they are read.
 */
export class KnownRegistrations {
  #minute = 0;
  /** How often all were forgotten. */
  #losses = 0;
  /** How many registrations each hash stands for. */
  readonly #counts = new Map<string, number>();
  #room = createRoom();

  /** The number of hashes, at most MAX_KNOWN_REGISTRATIONS. */
  get size(): number {
    return this.#counts.size;
  }

  /** Says how many applications the rest of a body has, if all of them are known. */
  recognise(tokenId: string, receivedAt: number, rest: Uint8Array): RepeatedRest {
    const key = `${tokenId} ${shortHash(rest)}`;
    const isOfMinute = minuteOf(receivedAt) === this.#minute;
    return { key, receivedAt, applications: isOfMinute ? this.#counts.get(key) : undefined };
  }

  /**
   * The registrations of a token that need a message. Call `remember` when Kafka has acknowledged it; this has no effect if all
   * were forgotten meanwhile. `rest`: the bytes that they come from, if these say nothing else.
   */
  select(
    tokenId: string,
    registrations: readonly Registration[],
    rest?: RepeatedRest,
  ): { readonly unknown: readonly Registration[]; readonly remember: () => void } {
    const unknown: Registration[] = [];
    const keys: string[] = [];
    for (const registration of registrations) {
      const key = keyOf(tokenId, registration);
      if (this.#counts.has(key)) continue;
      unknown.push(registration);
      keys.push(key);
    }
    const [first] = registrations;
    const minute = minuteOf(rest?.receivedAt ?? first?.seenAt ?? 0);
    const losses = this.#losses;
    const { length } = registrations;
    return {
      unknown,
      remember: () => {
        if (losses !== this.#losses || minute < this.#minute) return;
        if (minute > this.#minute) this.#clear();
        this.#minute = minute;
        for (const key of keys) this.#remember(tokenId, key, 1);
        if (rest !== undefined) this.#remember(tokenId, rest.key, length);
      },
    };
  }

  /** Forgets all. Called when a send fails, because then we do not know what became of Kafka. */
  forget(): void {
    this.#losses += 1;
    this.#clear();
  }

  /** When it is full, it remembers no more. A token may fill a quarter. */
  #remember(tokenId: string, key: string, count: number): void {
    if (!this.#counts.has(key) && this.#room.reserve(tokenId)) this.#counts.set(key, count);
  }

  #clear(): void {
    this.#counts.clear();
    this.#room = createRoom();
  }
}

function createRoom(): Room {
  return new Room({ each: MAX_OF_TOKEN, all: MAX_KNOWN_REGISTRATIONS });
}

/** JSON contains no line break, and the bytes of a body have a key with a blank. */
function keyOf(tokenId: string, registration: Registration): string {
  return shortHash(`${tokenId}\n${minuteOf(registration.seenAt)}\n${contentOfRegistration(registration)}`);
}

/** 132 bits of SHA-256. */
function shortHash(content: string | Uint8Array): string {
  return hash('sha256', content, 'base64url').slice(0, 22);
}
