/**
 * How far a partition is mirrored. It is the metadata of an offset commit whose offset is the first message that a successor must
 * read again to know the batch ids of the last minutes; so `from` lies at that offset or behind it.
 */
export type Progress = {
  /** Everything before this offset is mirrored. */
  readonly from: bigint;
  /** The messages [from, to) that are being mirrored: they make the same posts again in whatever process. */
  readonly current: CurrentRange | undefined;
};

export type CurrentRange = {
  readonly to: bigint;
  /** So many of its posts are over. */
  readonly done: number;
  /** Whether the next post may have been sent, and nobody knows what became of it. */
  readonly isSent: boolean;
};

const PATTERN = /^flagmeter-mirror:1:(\d{1,19})(?::(\d{1,19}):(\d{1,9}):(sent|unsent))?$/;

export function encodeProgress({ from, current }: Progress): string {
  const start = `flagmeter-mirror:1:${from}`;
  return current === undefined
    ? start
    : `${start}:${current.to}:${current.done}:${current.isSent ? 'sent' : 'unsent'}`;
}

/** Undefined for other metadata: then the committed offset is where to go on, as somebody set it. */
export function decodeProgress(metadata: string | null): Progress | undefined {
  const match = PATTERN.exec(metadata ?? '');
  if (match === null) return undefined;
  const [, from = '', to, done, state] = match;
  const current =
    to === undefined ? undefined : { to: BigInt(to), done: Number(done), isSent: state === 'sent' };
  return { from: BigInt(from), current };
}
