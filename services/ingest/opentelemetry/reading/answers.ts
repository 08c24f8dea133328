import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';
import type { OtlpEncoding, OtlpSignal } from './signals.ts';

/** What a body had that is not counted. */
export type Rejected = { readonly count: number; readonly message: string };

const REJECTED_NAMES = {
  logs: 'rejectedLogRecords',
  traces: 'rejectedSpans',
  metrics: 'rejectedDataPoints',
} as const;

/** The answer to a request whose evaluations are stored. A sender must not repeat it, even if some were refused. */
export function encodeSuccess(
  signal: OtlpSignal,
  encoding: OtlpEncoding,
  rejected: Rejected | undefined,
): Buffer {
  if (encoding === 'json') return jsonOf(rejected && partialSuccess(signal, rejected));
  if (rejected === undefined) return Buffer.alloc(0);
  const partial = new BinaryWriter()
    .tag(1, WireType.Varint)
    .int64(rejected.count)
    .tag(2, WireType.LengthDelimited)
    .string(rejected.message)
    .finish();
  return Buffer.from(new BinaryWriter().tag(1, WireType.LengthDelimited).bytes(partial).finish());
}

function partialSuccess(signal: OtlpSignal, { count, message }: Rejected) {
  return { partialSuccess: { [REJECTED_NAMES[signal]]: String(count), errorMessage: message } };
}

/** An error: a google.rpc.Status without its code, which the protocol leaves out. */
export function encodeStatus(encoding: OtlpEncoding, message: string): Buffer {
  if (encoding === 'json') return jsonOf({ message });
  return Buffer.from(new BinaryWriter().tag(2, WireType.LengthDelimited).string(message).finish());
}

function jsonOf(value: object = {}): Buffer {
  return Buffer.from(JSON.stringify(value));
}
