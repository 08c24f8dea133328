import { createHash, hash, randomBytes } from 'node:crypto';

/** What identifies a request, or the process that sent it, in the order in which it is looked for. */
export type SenderHeaders = {
  readonly idempotencyKey?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly appName?: string | undefined;
  readonly userAgent?: string | undefined;
};

export type Sender = {
  /** One string for each process that sends; with an idempotency key, for each key. */
  readonly name: string;
  /**
   * What its repetitions are known by: `key`, its idempotency key; `edge`, an Unleash Edge, which repeats the same bytes within 27
   * seconds and makes its next push after 60; `none`, nothing but what the body says.
   */
  readonly kind: 'key' | 'edge' | 'none';
};

/** Undefined when the sender does not say who it is. */
export function senderOf(headers: SenderHeaders): Sender | undefined {
  const { idempotencyKey, connectionId, instanceId, appName, userAgent = '' } = headers;
  if (idempotencyKey) return { name: `key ${idempotencyKey}`, kind: 'key' };
  const kind = userAgent.startsWith('unleash-edge-') ? 'edge' : 'none';
  if (connectionId) return { name: `connection ${connectionId}`, kind };
  if (instanceId && appName) return { name: `instance ${JSON.stringify([instanceId, appName])}`, kind };
  return undefined;
}

const HOUR_MS = 3_600_000;

/**
 * Whether a time says when something was counted. Of the beginning of an hour there may be many: forwarders that add up by the
 * hour send it with every push.
 */
export function isExactTime(ms: number): boolean {
  return ms % HOUR_MS !== 0;
}

/**
 * The id by which a repeated body is recognised: a hash of token, sender and body (132 bits of SHA-256, base64url). Without a
 * sender it is random, because equal bodies may be honest.
 */
export function batchIdOf(tokenId: string, sender: string | undefined, body: Uint8Array): string {
  if (sender === undefined) return randomBytes(16).toString('base64url');
  const digest = createHash('sha256').update(`${tokenId}\n${sender}\n`).update(body);
  return digest.digest('base64url').slice(0, 22);
}

/** The partition in which all batches of a sender meet, so that a retry is compared with its first try. */
export function partitionOfSender(sender: string, partitions: number): number {
  return hash('sha256', sender, 'buffer').readUInt32BE(0) % partitions;
}
