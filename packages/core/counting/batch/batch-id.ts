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

const OWNER_LENGTH = 4;

/**
 * The id by which the worker recognises a repeated body: the owner, and a hash of token, key of the sender, and body (108 bits of
 * SHA-256, base64url). Without a sender it is random, because different senders may send equal bodies.
 */
export function batchIdOf(tokenId: string, sender: string | undefined, body: Uint8Array): string {
  const owner = ownerOf(tokenId);
  if (sender === undefined) return owner + randomText();
  const digest = createHash('sha256').update(`${tokenId}\n${sender}\n`).update(body);
  return owner + digest.digest('base64url').slice(0, ID_LENGTH - OWNER_LENGTH);
}

/** Whose batch it is: equal for all batches of a token, so that no token takes the room in which those of others are remembered. */
export function ownerOfBatch(batchId: string): string {
  return batchId.slice(0, OWNER_LENGTH);
}

const DIGITS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

/** 24 bits of FNV-1a, base64url. It costs a twentieth of SHA-256, and two tokens with the same bits only share a room. */
function ownerOf(tokenId: string): string {
  let bits = 0x811c9dc5;
  for (let i = 0; i < tokenId.length; i += 1) bits = Math.imul(bits ^ tokenId.charCodeAt(i), 0x01000193);
  let text = '';
  for (let shift = 0; shift < 6 * OWNER_LENGTH; shift += 6) text += DIGITS.charAt((bits >>> shift) & 63);
  return text;
}

const RANDOM_BYTES = 14;
const randomness = Buffer.alloc(256 * RANDOM_BYTES);
let unused = 0;

/** 108 random bits. They are drawn for 256 ids at a time: a draw for each took a tenth of the time of a request of 10 rows. */
function randomText(): string {
  if (unused === 0) unused = randomFillSync(randomness).length;
  unused -= RANDOM_BYTES;
  return randomness.toString('base64url', unused, unused + RANDOM_BYTES).slice(0, ID_LENGTH - OWNER_LENGTH);
}

/** The partition of a sender, by its key. All its batches go there, so that a retry meets its first try. */
export function partitionOfSender(key: string, partitions: number): number {
  return Buffer.from(key, 'base64url').readUInt32BE(0) % partitions;
}
