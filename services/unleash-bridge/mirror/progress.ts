/**
 * The progress of a partition, stored as the metadata of an offset commit. The committed offset is the first message that a
 * successor must read to know the batch ids of the last minutes. So `from` is at or after that offset.
 */
export type Progress = {
  /** Everything before this offset is mirrored. */
  readonly from: bigint;
  /** The messages [from, to) that are being mirrored. Every process makes the same posts of them. */
  readonly current: CurrentRange | undefined;
};

export type CurrentRange = {
  readonly to: bigint;
  /** The number of their finished posts. */
  readonly done: number;
  /** Whether the next post may have been sent with an unknown outcome. */
  readonly isSent: boolean;
};

const PATTERN = /^flagmeter-mirror:1:(\d{1,19})(?::(\d{1,19}):(\d{1,9}):(sent|unsent))?$/;

export function encodeProgress({ from, current }: Progress): string {
  const start = `flagmeter-mirror:1:${from}`;
  return current === undefined
    ? start
    : `${start}:${current.to}:${current.done}:${current.isSent ? 'sent' : 'unsent'}`;
}

/** Undefined for metadata that is not ours: somebody has set the offset, and the mirror continues there. */
export function decodeProgress(metadata: string | null): Progress | undefined {
  const match = PATTERN.exec(metadata ?? '');
  if (match === null) return undefined;
  const [, from = '', to, done, state] = match;
  const current =
    to === undefined ? undefined : { to: BigInt(to), done: Number(done), isSent: state === 'sent' };
  return { from: BigInt(from), current };
}
