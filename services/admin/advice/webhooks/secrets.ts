import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';

/** Encrypts secrets of subscriptions. `context` must be the same for both; it binds the text to its row. */
export type Sealer = {
  seal(secret: string, context: string): string;
  /** Undefined if none of the keys has encrypted it, or not for this context. */
  open(sealed: string, context: string): string | undefined;
};

const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** The first key encrypts, and each of them decrypts, so that a new key can be put in front of the old one. */
export function createSealer(keys: readonly [Buffer, ...Buffer[]]): Sealer {
  return {
    seal(secret, context) {
      const iv = randomBytes(IV_BYTES);
      const cipher = createCipheriv(ALGORITHM, keys[0], iv).setAAD(Buffer.from(context));
      const encrypted = Buffer.concat([cipher.update(secret, 'utf8'), cipher.final()]);
      return Buffer.concat([iv, cipher.getAuthTag(), encrypted]).toString('base64');
    },
    open(sealed, context) {
      for (const key of keys) {
        const secret = openWith(key, sealed, context);
        if (secret !== undefined) return secret;
      }
      return undefined;
    },
  };
}

function openWith(key: Buffer, sealed: string, context: string): string | undefined {
  const bytes = Buffer.from(sealed, 'base64');
  if (bytes.length < IV_BYTES + TAG_BYTES) return undefined;
  const [iv, tag] = [bytes.subarray(0, IV_BYTES), bytes.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  const decipher = createDecipheriv(ALGORITHM, key, iv).setAAD(Buffer.from(context)).setAuthTag(tag);
  try {
    return decipher.update(bytes.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined; // it was encrypted with another key, or changed
  }
}
