import { isIP } from 'node:net';
import { Redis } from 'ioredis';
import { type Log, type Tls, explainTrouble } from '#runtime';

const REVOKED_CHANNEL = 'flagmeter:token-revoked';

/** Tells all processes at once that a token is no longer good. */
export type Revocations = {
  /** Tells this process even if the others cannot be told: then it rejects. */
  announce(tokenId: string): Promise<void>;
  /** `onGap` is called whenever announcements may have been missed, also at the first connection. */
  subscribe(listener: Listener): void;
  close(): void;
};

type Listener = { onRevoked(tokenId: string): void; onGap(): void };

type RedisAccess = { readonly url: string; readonly tls: Tls | undefined };

export function openRevocations({ url, tls }: RedisAccess, log: Log): Revocations {
  const connections: Redis[] = [];
  const connect = (): Redis => {
    const redis = new Redis(url, {
      ...(tls === undefined ? {} : { tls: { ...tls, ...serverName(url) } }),
      connectTimeout: 2000,
      commandTimeout: 2000,
      maxRetriesPerRequest: 1,
      retryStrategy: (attempt) => Math.min(100 * 2 ** attempt, 2000),
    });
    redis.on('error', (err: Error) => {
      log.warn({ err, reason: explainTrouble('Redis', err) }, 'redis not reached');
    });
    connections.push(redis);
    return redis;
  };
  let publisher: Redis | undefined;
  const listeners: Listener[] = [];
  return {
    async announce(tokenId) {
      for (const listener of listeners) listener.onRevoked(tokenId);
      publisher ??= connect();
      await publisher.publish(REVOKED_CHANNEL, tokenId);
    },
    subscribe(listener) {
      listeners.push(listener);
      const redis = connect();
      redis.on('ready', () => {
        void redis.subscribe(REVOKED_CHANNEL).then(
          () => {
            listener.onGap();
          },
          (err: unknown) => {
            log.warn({ err }, 'redis subscription failed');
          },
        );
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

/** Proxies in front of several servers choose by this name (SNI), which ioredis leaves out. */
function serverName(url: string): { servername?: string } {
  const host = new URL(url).hostname;
  return isIP(host) === 0 && !host.startsWith('[') ? { servername: host } : {};
}
