import { type RelayBatch, emptyBatch, serialiseBatch } from './batch.ts';

/** A body of this size or more is split ... */
const CUT_FROM_BYTES = 102_400;
/** ... into bodies of at most this size. */
const CHUNK_BYTES = 97_280;

/**
 * Splits a batch as Edge does (docs/develop/unleash.md#pushes-of-edge): a batch of 100 KiB or more becomes bodies of up to 95 KiB. A
 * larger single item gets its own body.
 */
export function cutBatch(batch: RelayBatch): RelayBatch[] {
  if (byteLength(serialiseBatch(batch)) < CUT_FROM_BYTES) return [batch];
  const chunks: RelayBatch[] = [];
  let chunk = startChunk();
  for (const part of ['applications', 'metrics', 'impactMetrics', 'seenTokens'] as const) {
    for (const item of batch[part]) {
      const itemBytes = byteLength(JSON.stringify(item));
      if (chunk.count > 0 && chunk.bytes + bytesToAdd(chunk, part, itemBytes) > CHUNK_BYTES) {
        chunks.push(chunk.parts);
        chunk = startChunk();
      }
      chunk.bytes += bytesToAdd(chunk, part, itemBytes);
      chunk.count += 1;
      const items: unknown[] = chunk.parts[part];
      items.push(item);
    }
  }
  return [...chunks, chunk.parts];
}

type Part = keyof RelayBatch;
type Chunk = { readonly parts: Record<Part, never[]>; bytes: number; count: number };

function startChunk(): Chunk {
  const parts = { applications: [], metrics: [], impactMetrics: [], seenTokens: [] };
  return { parts, bytes: byteLength(serialiseBatch(emptyBatch)), count: 0 };
}

function bytesToAdd({ parts }: Chunk, part: Part, itemBytes: number): number {
  if (parts[part].length > 0) return itemBytes + ','.length;
  const isOptional = part === 'impactMetrics' || part === 'seenTokens';
  return itemBytes + (isOptional ? `,"${part}":[]`.length : 0);
}

function byteLength(text: string): number {
  return Buffer.byteLength(text);
}
