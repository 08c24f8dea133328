import { createHash, createHmac, pbkdf2Sync, randomBytes } from 'node:crypto';

/**
 * More would only help passwords that can be guessed. Ours are random, and the default of 4096 takes a client two milliseconds of CPU for
 * each connection.
 */
const ITERATIONS = 1;

/** What Postgres stores of a password instead of the password itself (RFC 5803). */
export function scramVerifierOf(password: string): string {
  const salt = randomBytes(16);
  const salted = pbkdf2Sync(password, salt, ITERATIONS, 32, 'sha256');
  const keyOf = (name: string): Buffer => createHmac('sha256', salted).update(name).digest();
  const storedKey = createHash('sha256').update(keyOf('Client Key')).digest('base64');
  const serverKey = keyOf('Server Key').toString('base64');
  return `SCRAM-SHA-256$${ITERATIONS}:${salt.toString('base64')}$${storedKey}:${serverKey}`;
}
