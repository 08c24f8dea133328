import { EventEmitter } from 'node:events';
import type { Revocations } from '#base/auth';

export const DEAF = { onRevoked: () => undefined, onLost: () => undefined, onGap: () => undefined } as const;

/**
 * The same revocations. They also emit an event for each announcement and gap, after the listener has handled it.
 */
export function overheard(
  revocations: Revocations,
): Pick<Revocations, 'subscribe'> & { heard: EventEmitter } {
  const heard = new EventEmitter();
  return {
    heard,
    subscribe(listener) {
      revocations.subscribe({
        onRevoked(tokenId) {
          listener.onRevoked(tokenId);
          heard.emit('revoked');
        },
        onLost() {
          listener.onLost();
          heard.emit('lost');
        },
        onGap() {
          listener.onGap();
          heard.emit('gap');
        },
      });
    },
  };
}
