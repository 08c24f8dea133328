import { hash } from 'node:crypto';
import { type Registration, contentOfRegistration, minuteOf } from '#core/counting';
import { Room } from '#base/runtime';

/** Takes about 2 MiB. */
export const MAX_KNOWN_REGISTRATIONS = 20_000;
const MAX_OF_TOKEN = MAX_KNOWN_REGISTRATIONS / 4;

/**
 * The registrations that Kafka has acknowledged in this clock minute, as hashes. An equal one of the same minute needs no message:
 * it would change nothing in Postgres (docs/develop/decisions/receiving.md#74-send-equal-registrations-once-a-minute).
 */
export class KnownRegistrations {
  #minute = 0;
  /** How often all were forgotten. */
  #losses = 0;
  readonly #hashes = new Set<string>();
  #room = createRoom();

  /** The number of known registrations, at most MAX_KNOWN_REGISTRATIONS. */
  get size(): number {
    return this.#hashes.size;
  }

  /**
   * The registrations of a token that need a message. Call `remember` when Kafka has acknowledged it; this has no effect if all
   * were forgotten meanwhile.
   */
  select(
    tokenId: string,
    registrations: readonly Registration[],
  ): { readonly unknown: readonly Registration[]; readonly remember: () => void } {
    const unknown: Registration[] = [];
    const hashes: string[] = [];
    for (const registration of registrations) {
      const digest = hashOf(tokenId, registration);
      if (this.#hashes.has(digest)) continue;
      unknown.push(registration);
      hashes.push(digest);
    }
    const [first] = unknown;
    const minute = first === undefined ? 0 : minuteOf(first.seenAt);
    const losses = this.#losses;
    return {
      unknown,
      remember: () => {
        if (losses === this.#losses) this.#remember(tokenId, hashes, minute);
      },
    };
  }

  /** Forgets all. Called when a send fails, because then we do not know what became of Kafka. */
  forget(): void {
    this.#losses += 1;
    this.#clear();
  }

  /** When a new minute begins, it forgets those of the last one. When it is full, it remembers no more. A token may fill a quarter. */
  #remember(tokenId: string, hashes: readonly string[], minute: number): void {
    if (minute < this.#minute) return;
    if (minute > this.#minute) this.#clear();
    this.#minute = minute;
    for (const digest of hashes) {
      if (this.#hashes.has(digest)) continue;
      if (!this.#room.reserve(tokenId)) return;
      this.#hashes.add(digest);
    }
  }

  #clear(): void {
    this.#hashes.clear();
    this.#room = createRoom();
  }
}

function createRoom(): Room {
  return new Room({ each: MAX_OF_TOKEN, all: MAX_KNOWN_REGISTRATIONS });
}

/** 132 bits of SHA-256 of the token, the minute and the registration. JSON contains no line break. */
function hashOf(tokenId: string, registration: Registration): string {
  const text = `${tokenId}\n${minuteOf(registration.seenAt)}\n${contentOfRegistration(registration)}`;
  return hash('sha256', text, 'base64url').slice(0, 22);
}
