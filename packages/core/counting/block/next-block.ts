import assert from 'node:assert/strict';
import type { Intent } from './intent.ts';
import type { LogMessage } from './block.ts';

export type BlockLimits = { readonly maxMessages: number; readonly maxBytes: number };

/** Messages of a partition that are fetched but not stored: in order of offset, complete in [from, position). */
export type Fetched = {
  readonly from: bigint;
  readonly position: bigint;
  readonly messages: readonly LogMessage[];
};

/**
 * Where the next block ends; undefined if more messages must be fetched first. An intent fixes the end, because part of that
 * block may already be stored. Otherwise the block takes the fetched messages up to the limits.
 */
export function nextBlockEnd(
  { from, position, messages }: Fetched,
  intent: Intent | undefined,
  limits: BlockLimits,
): bigint | undefined {
  if (intent !== undefined) {
    assert(intent.to > from, 'an intent ends behind the committed offset');
    return position >= intent.to ? intent.to : undefined;
  }
  if (position <= from) return undefined;
  let bytes = 0;
  for (const [index, message] of messages.entries()) {
    bytes += message.value?.byteLength ?? 0;
    if (index > 0 && (index >= limits.maxMessages || bytes > limits.maxBytes)) return message.offset;
  }
  return position;
}
