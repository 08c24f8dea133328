import { createHash, hash, randomBytes } from 'node:crypto';

/** What identifies the process that sent a request, in the order in which it is looked for. */
export type SenderHeaders = {
  readonly connectionId?: string | undefined;
  readonly instanceId?: string | undefined;
  readonly appName?: string | undefined;
  readonly idempotencyKey?: string | undefined;
};

/** One string per sender, undefined when the sender does not say who it is. */
export function senderOf(headers: SenderHeaders): string | undefined {
  if (headers.connectionId) return `connection ${headers.connectionId}`;
  if (headers.instanceId && headers.appName)
    return `instance ${JSON.stringify([headers.instanceId, headers.appName])}`;
  return headers.idempotencyKey ? `key ${headers.idempotencyKey}` : undefined;
}

/**
 * The id by which a repeated body is recognised: a hash of token, sender and body (132 bits of SHA-256, base64url). Without a
 * sender it is random, for two relays may honestly send equal bodies.
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
