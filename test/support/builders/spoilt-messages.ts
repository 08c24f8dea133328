import { bytesOf } from './builders.ts';

/**
 * The members of a counts message that is small enough to name every position: feature, app, environment, variant,
 * feature, environment; two groups; three rows, two of them with variants; 6 metrics received, of which 2 are
 * refused.
 */
export const MESSAGE = {
  v: 1,
  id: 'batch',
  at: 1_795_256_100_000,
  token: 'token',
  received: 6,
  names: ['f0', 'a1', 'e2', 'v3', 'f4', 'e5'],
  groups: [1, 2, 498_682, 1, 5, 498_683],
  rows: [0, 0, 2, 5, 1, 1, 3, 4, 4, 0, 1, 0, 0, 0, 0, 1, 1, 7, 7, 2, 3, 1, 4, 2],
  refused: [
    ['metric', 'too_old', 'e2', 'a1', 'f0', 2, 'timestamp: 1867'],
    ['application', 'empty_name', '', '', '', 1, ''],
  ],
};

type Spoilt = Partial<Record<keyof typeof MESSAGE | 'impact', unknown>>;

/** The bytes of such a message: a line of JSON, and the rows as integers of seven bits per byte. */
export function bytesOfMessage({ rows, ...head }: Spoilt): Uint8Array {
  const numbers = rows as readonly number[]; // The other members cannot be spoilt.
  return Buffer.concat([bytesOf(`${JSON.stringify(head)}\n`), Buffer.from(numbers.flatMap(toSevenBits))]);
}

function toSevenBits(value: number): number[] {
  return value < 128 ? [value] : [(value % 128) + 128, ...toSevenBits(Math.floor(value / 128))];
}

/** Positions in `rows` and `groups` that hold indexes, and the positions in `rows` where a row ends. */
export const ROWS_THAT_POINT_AT_NAMES = [0, 6, 8, 14, 20, 22];
export const ROWS_THAT_POINT_AT_GROUPS = [1, 9, 15];
export const GROUPS_THAT_POINT_AT_NAMES = [0, 1, 3, 4];
export const ENDS_OF_ROWS = [8, 14, 24];

/** Copies of the message, each with another integer of its head replaced. */
export function withEachInteger(wrong: unknown): Spoilt[] {
  return [
    { ...MESSAGE, at: wrong },
    { ...MESSAGE, received: wrong },
    ...withEachItem(MESSAGE.groups, wrong).map((groups) => ({ ...MESSAGE, groups })),
    ...MESSAGE.refused.map((_, index) => withRefusalItem(index, 5, wrong)),
  ];
}

/** Copies of the message, each with another of its names replaced. */
export function withEachName(wrong: unknown): Spoilt[] {
  return [
    { ...MESSAGE, id: wrong },
    { ...MESSAGE, token: wrong },
    ...withEachItem(MESSAGE.names, wrong).map((names) => ({ ...MESSAGE, names })),
  ];
}

/** Copies of the message, each with another name of its first refusal replaced, or with its sample replaced. */
export function withEachRefusedName(wrong: unknown): Spoilt[] {
  return [2, 3, 4, 6].map((position) => withRefusalItem(0, position, wrong));
}

/** Copies of the message with fewer rows, each cut inside a row. */
export function withRowsCutShort(): Spoilt[] {
  return MESSAGE.rows
    .map((_, length) => length)
    .filter((length) => length > 0 && !ENDS_OF_ROWS.includes(length))
    .map((length) => ({ ...MESSAGE, rows: MESSAGE.rows.slice(0, length) }));
}

function withRefusalItem(index: number, position: number, wrong: unknown): Spoilt {
  const refusal: readonly unknown[] = MESSAGE.refused[index] ?? [];
  const refused: readonly unknown[] = MESSAGE.refused;
  return { ...MESSAGE, refused: refused.with(index, refusal.with(position, wrong)) };
}

function withEachItem(items: readonly unknown[], wrong: unknown): unknown[][] {
  return items.map((_, index) => items.with(index, wrong));
}
