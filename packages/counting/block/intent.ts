/**
 * The record of the block about to be stored, kept as metadata of a Kafka offset commit: whoever takes the
 * partition over must store exactly [committed offset, to) and nothing else.
 */
export type Intent = {
  readonly to: bigint;
  /** When it was first written, epoch milliseconds: how long an INSERT may have been in doubt. */
  readonly at: number;
};

const PATTERN = /^flagmeter-intent:2:(\d{1,19}):(\d{1,16})$/;

export function encodeIntent({ to, at }: Intent): string {
  return `flagmeter-intent:2:${to.toString()}:${at.toString()}`;
}

/** The intent of committed metadata: undefined when there is none, 'unknown' when it is not one of ours. */
export function decodeIntent(metadata: string | null): Intent | 'unknown' | undefined {
  if (metadata === null || metadata === '') return undefined;
  const match = PATTERN.exec(metadata);
  if (match === null) return 'unknown';
  const [, to = '', at] = match;
  return { to: BigInt(to), at: Number(at) };
}
