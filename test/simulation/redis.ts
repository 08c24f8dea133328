import type { RevocationListener } from '#base/auth';
import { Engine } from './network.ts';
import type { Actor, Schedule } from './time/schedule.ts';

const RECONNECT_MS = 500;
const ANNOUNCE_MS = 2;

type Subscriber = { readonly actor: Actor; readonly listener: RevocationListener; isConnected: boolean };

/** Redis as the token cache sees it: it announces revocations to those who are connected. */
export class SimulatedRedis {
  readonly server: Engine;
  /** Ids of tokens whose revocation was announced, to those who were connected. */
  readonly announced = new Set<string>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #schedule: Schedule;

  constructor(schedule: Schedule) {
    this.#schedule = schedule;
    const onKill = (): void => {
      for (const subscriber of this.#subscribers) {
        subscriber.isConnected = false;
        this.#tell(subscriber, ANNOUNCE_MS, (listener) => {
          listener.onLost();
        });
      }
    };
    this.server = new Engine('redis', schedule, { onKill });
  }

  /** For the present actor. */
  revocations(): { subscribe: (listener: RevocationListener) => void } {
    return {
      subscribe: (listener) => {
        const subscriber = { actor: this.#schedule.current, listener, isConnected: false };
        this.#subscribers.add(subscriber);
        this.#connect(subscriber);
      },
    };
  }

  announce(tokenId: string): void {
    if (!this.server.isUp) return;
    this.announced.add(tokenId);
    for (const subscriber of this.#subscribers)
      if (subscriber.isConnected)
        this.#tell(subscriber, ANNOUNCE_MS, (listener) => {
          listener.onRevoked(tokenId);
        });
  }

  start(): void {
    this.server.start();
    for (const subscriber of this.#subscribers) this.#connect(subscriber);
  }

  #connect(subscriber: Subscriber): void {
    this.#tell(subscriber, RECONNECT_MS, (listener) => {
      if (!this.server.isUp || subscriber.isConnected) return;
      subscriber.isConnected = true;
      listener.onGap();
    });
  }

  #tell(
    { actor, listener }: Subscriber,
    afterMs: number,
    tell: (listener: RevocationListener) => void,
  ): void {
    this.#schedule.after(actor, afterMs, {
      label: 'redis',
      action: () => {
        tell(listener);
      },
    });
  }
}
