import { createHash, hash, randomFillSync } from 'node:crypto';

/** The headers that identify a request or the process that sent it, in the order in which we look for them. */
export type SenderHeaders = {
  readonly idempotencyKey?: string | undefined;
  readonly connectionId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly appName?: string | undefined;
  readonly userAgent?: string | undefined;
};

export type Sender = {
  /** Differs between sending processes and, with an idempotency key, between keys. Of any length: see `keyOfSender`. */
  readonly name: string;
  /**
   * How we know that the sender repeats a body. `key`: its idempotency key. `edge`: it is Unleash Edge, which repeats the same
   * bytes within 27 seconds and pushes again after 60. `none`: only the body can show it.
   */
  readonly kind: 'key' | 'edge' | 'none';
};

/** Undefined if no header identifies the sender. */
export function senderOf(headers: SenderHeaders): Sender | undefined {
  const { idempotencyKey, connectionId, instanceId, appName, userAgent = '' } = headers;
  if (idempotencyKey) return { name: `key ${idempotencyKey}`, kind: 'key' };
  const kind = userAgent.startsWith('unleash-edge-') ? 'edge' : 'none';
  if (connectionId) return { name: `connection ${connectionId}`, kind };
  if (instanceId && appName) return { name: `instance ${JSON.stringify([instanceId, appName])}`, kind };
  return undefined;
}

const HOUR_MS = 3_600_000;

/** Whether the time is exact. The beginning of an hour is not: forwarders that add up by the hour send it with every push. */
export function isExactTime(ms: number): boolean {
  return ms % HOUR_MS !== 0;
}

const ID_LENGTH = 22;

/**
 * The key of a sender, by the name that it has: 132 bits of SHA-256, base64url. Whoever keeps a sender keeps its key, because a name
 * is as long as the sender likes.
 */
export function keyOfSender(name: string): string {
  return hash('sha256', name, 'base64url').slice(0, ID_LENGTH);
}

/**
 * The id by which the worker recognises a repeated body: a hash of token, key of the sender, and body (132 bits of SHA-256, base64url).
 * Without a sender it is random, because different senders may send equal bodies.
 */
export function batchIdOf(tokenId: string, sender: string | undefined, body: Uint8Array): string {
  if (sender === undefined) return randomId();
  const digest = createHash('sha256').update(`${tokenId}\n${sender}\n`).update(body);
  return digest.digest('base64url').slice(0, ID_LENGTH);
}

const ID_BYTES = 16;
const randomness = Buffer.alloc(256 * ID_BYTES);
let unused = 0;

/** 128 random bits. They are drawn for 256 ids at a time: a draw for each took a tenth of the time of a request of 10 rows. */
function randomId(): string {
  if (unused === 0) unused = randomFillSync(randomness).length;
  unused -= ID_BYTES;
  return randomness.toString('base64url', unused, unused + ID_BYTES);
}

/** The partition of a sender, by its key. All its batches go there, so that a retry meets its first try. */
export function partitionOfSender(key: string, partitions: number): number {
  return Buffer.from(key, 'base64url').readUInt32BE(0) % partitions;
}
