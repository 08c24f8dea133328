import { type ApiToken, hashSecret } from '#tokens';
import type { RevocationListener } from '#auth';
import { Engine, type Network } from './network.ts';
import type { Actor, Schedule } from './time/schedule.ts';

export const SECRET = '*:production.0123456789abcdef0123456789abcdef';
export const TOKEN: ApiToken = {
  id: 'token-1',
  name: 'relay',
  type: 'client',
  environment: 'production',
  projects: [],
  expiresAt: undefined,
};

/** `statementTimeoutMs` of look-ups. */
const QUERY_TIMEOUT_MS = 2000;
const RECONNECT_MS = 500;

type Subscriber = { readonly actor: Actor; readonly listener: RevocationListener };

/** Postgres with its tokens, and Redis, which announces that a token was revoked. */
export class TokenStores {
  readonly postgres = new Engine('postgres');
  readonly redis: Engine;
  readonly #tokens = new Map<string, ApiToken>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #network: Network;
  readonly #schedule: Schedule;

  constructor({ network, schedule }: { readonly network: Network; readonly schedule: Schedule }) {
    this.#network = network;
    this.#schedule = schedule;
    this.redis = new Engine('redis', () => {
      for (const subscriber of this.#subscribers)
        this.#tell(subscriber, 'connection lost', (listener) => {
          listener.onLost();
        });
    });
  }

  add(secret: string, token: ApiToken): void {
    this.#tokens.set(hashSecret(secret), token);
  }

  find(hashes: readonly string[]): Promise<ReadonlyMap<string, ApiToken>> {
    return this.#network.call(this.postgres, {
      label: 'find tokens',
      timeoutMs: QUERY_TIMEOUT_MS,
      serve: ({ resolve }) => {
        resolve(new Map([...this.#tokens].filter(([hash]) => hashes.includes(hash))));
      },
    });
  }

  /** For the present actor. */
  revocations(): { subscribe: (listener: RevocationListener) => void } {
    return {
      subscribe: (listener) => {
        const subscriber = { actor: this.#schedule.current, listener };
        this.#subscribers.add(subscriber);
        this.#connect(subscriber);
      },
    };
  }

  /** Redis runs again, and its clients connect. */
  startRedis(): void {
    this.redis.start();
    for (const subscriber of this.#subscribers) this.#connect(subscriber);
  }

  #connect(subscriber: Subscriber): void {
    this.#tell(subscriber, 'subscribed', (listener) => {
      if (this.redis.isUp) listener.onGap();
    });
  }

  #tell({ actor, listener }: Subscriber, label: string, tell: (listener: RevocationListener) => void): void {
    this.#schedule.after(actor, RECONNECT_MS, {
      label,
      action: () => {
        tell(listener);
      },
    });
  }
}
