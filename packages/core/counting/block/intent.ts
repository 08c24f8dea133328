/**
 * The record of the next block, stored as metadata of a Kafka offset commit. The next owner of the partition must store exactly
 * [committed offset, to).
 */
export type Intent = {
  readonly to: bigint;
  /** When the intent was first written, epoch milliseconds: the earliest time of its INSERT. */
  readonly at: number;
};

const PATTERN = /^flagmeter-intent:2:(\d{1,19}):(\d{1,16})$/;

export function encodeIntent({ to, at }: Intent): string {
  return `flagmeter-intent:2:${to.toString()}:${at.toString()}`;
}

/** The intent in committed metadata: undefined if there is none, 'unknown' if the metadata is not one of ours. */
export function decodeIntent(metadata: string | null): Intent | 'unknown' | undefined {
  if (metadata === null || metadata === '') return undefined;
  const match = PATTERN.exec(metadata);
  if (match === null) return 'unknown';
  const [, to = '', at] = match;
  return { to: BigInt(to), at: Number(at) };
}
