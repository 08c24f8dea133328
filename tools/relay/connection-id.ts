const CROCKFORD = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A ULID; Edge creates one for each of its processes. */
export function createConnectionId(now: number, random: () => number): string {
  let time = '';
  for (let rest = now; time.length < 10; rest = Math.floor(rest / 32)) time = digit(rest % 32) + time;
  return time + Array.from({ length: 16 }, () => digit(Math.floor(random() * 32))).join('');
}

function digit(value: number): string {
  return CROCKFORD.charAt(value);
}
