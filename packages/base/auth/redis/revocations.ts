import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import { type Log, inBackground } from '#base/runtime';
import { type RedisAccess, connectRedis } from './redis-connection.ts';

const REVOKED_CHANNEL = 'flagmeter:token-revoked';
/** Holds the last announced id for a minute; nobody reads it. A replica, whose announcements do not reach the clients of its primary, refuses to write it. */
const ANNOUNCED_KEY = 'flagmeter:announced';
const ANNOUNCED_SECONDS = 60;
const SUBSCRIBE_AGAIN_MS = 1000;

/** Announces to all processes at once that a token is no longer valid. */
export type Revocations = {
  /**
   * Always announces to this process. Returns the number of subscribed processes that Redis reaches, this one included. Rejects if
   * others cannot be reached, or Redis is a replica.
   */
  announce(tokenId: string): Promise<number>;
  subscribe(listener: RevocationListener): void;
  close(): void;
};

export type RevocationListener = {
  onRevoked(tokenId: string): void;
  /** Announcements may be missed from now on, until `onGap`. Before the first `onGap` they may be missed too. */
  onLost(): void;
  /** Announcements arrive again. Earlier ones may have been missed. Also called at the first connection. */
  onGap(): void;
};

export function openRevocations(access: RedisAccess, log: Log): Revocations {
  const connections: Redis[] = [];
  const connect = (): Redis => {
    const redis = connectRedis(access, log, { commandTimeout: 2000, maxRetriesPerRequest: 1 });
    connections.push(redis);
    return redis;
  };
  let publisher: Redis | undefined;
  const listeners: RevocationListener[] = [];
  return {
    async announce(tokenId) {
      for (const listener of listeners) listener.onRevoked(tokenId);
      publisher ??= connect();
      const [receivers] = await Promise.all([
        publisher.publish(REVOKED_CHANNEL, tokenId),
        publisher.set(ANNOUNCED_KEY, tokenId, 'EX', ANNOUNCED_SECONDS),
      ]);
      return receivers;
    },
    subscribe(listener) {
      listeners.push(listener);
      const redis = connect();
      redis.on('ready', () => {
        inBackground(subscribeTo(redis, listener, log));
      });
      redis.on('close', () => {
        listener.onLost();
      });
      redis.on('message', (_channel, tokenId: string) => {
        listener.onRevoked(tokenId);
      });
    },
    close() {
      for (const redis of connections) redis.disconnect();
    },
  };
}

/**
 * Retries until it is subscribed or the connection has ended; each new connection calls it again. A process that is not
 * subscribed would accept revoked tokens.
 */
async function subscribeTo(redis: Redis, listener: RevocationListener, log: Log): Promise<void> {
  while (redis.status === 'ready') {
    try {
      await redis.subscribe(REVOKED_CHANNEL);
      listener.onGap();
      return;
    } catch (err) {
      log.warn({ err }, 'redis subscription failed');
    }
    await sleep(SUBSCRIBE_AGAIN_MS, undefined, { ref: false });
  }
}
