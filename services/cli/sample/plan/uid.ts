import { createHash } from 'node:crypto';

/** A uid that depends only on the sample and a name, so that a repeated import recognises the record. */
export function uidIn(madeAt: number, name: string): string {
  const hash = createHash('sha256').update(`flagmeter sample ${madeAt} ${name}`).digest('hex');
  const variant = ((Number.parseInt(hash.slice(16, 18), 16) & 0x3f) | 0x80).toString(16);
  const parts = [
    hash.slice(0, 8),
    hash.slice(8, 12),
    `4${hash.slice(13, 16)}`,
    `${variant}${hash.slice(18, 20)}`,
    hash.slice(20, 32),
  ];
  return parts.join('-');
}
