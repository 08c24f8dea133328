import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { hashSecret } from '#base/tokens';

/** The address of the sign-out contains it, and Keycloak reads at most 4,096 bytes of an address. */
const MAX_BYTES = 3072;
const ALGORITHM = 'aes-256-gcm';
const IV_BYTES = 12;
const TAG_BYTES = 16;

/** Only the secret of the session opens it again, which the browser has and Postgres does not. A long ID token is not kept. */
export function sealIdToken(idToken: string | undefined, secret: string): Buffer | undefined {
  if (idToken === undefined || Buffer.byteLength(idToken) > MAX_BYTES) return undefined;
  const iv = randomBytes(IV_BYTES);
  const cipher = createCipheriv(ALGORITHM, keyOf(secret), iv);
  const sealed = Buffer.concat([cipher.update(idToken, 'utf8'), cipher.final()]);
  return Buffer.concat([iv, cipher.getAuthTag(), sealed]);
}

/** Undefined if another secret has sealed it, or if it was changed. */
export function openIdToken(sealed: Buffer, secret: string): string | undefined {
  const [iv, tag] = [sealed.subarray(0, IV_BYTES), sealed.subarray(IV_BYTES, IV_BYTES + TAG_BYTES)];
  try {
    const decipher = createDecipheriv(ALGORITHM, keyOf(secret), iv).setAuthTag(tag);
    return decipher.update(sealed.subarray(IV_BYTES + TAG_BYTES), undefined, 'utf8') + decipher.final('utf8');
  } catch {
    return undefined;
  }
}

function keyOf(secret: string): Buffer {
  return Buffer.from(hashSecret(`ID token ${secret}`), 'hex');
}
