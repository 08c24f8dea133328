import type { Steps } from '#core/counting';
import { type FoundInBody, MalformedBody, TooManyEvaluations } from './found.ts';
import { readJson } from './json/read-json.ts';
import { Cursor } from './place.ts';
import { readProtobuf } from './protobuf/read-protobuf.ts';
import type { OtlpSignal } from './signals.ts';

/** Why a body is not read, and the JSON pointer of the place to which it was. */
type MalformedAt = { readonly problem: string; readonly isTooLarge: boolean; readonly place: string };

/**
 * Finds the evaluations in the body of an export request of OTLP/HTTP. What is not needed takes no memory, so a body bounds it. A body
 * that does not fit the protocol has a problem as a whole; attributes and values of evaluations are judged one by one, later.
 */
export function* readOtlp(
  signal: OtlpSignal,
  body: { readonly protobuf: Uint8Array } | { readonly json: unknown },
): Steps<FoundInBody | MalformedAt> {
  const cursor = new Cursor(signal);
  try {
    return yield* 'json' in body
      ? readJson(signal, body.json, cursor)
      : readProtobuf(signal, body.protobuf, cursor);
  } catch (error) {
    if (error instanceof MalformedBody || error instanceof TooManyEvaluations) {
      const isTooLarge = error instanceof TooManyEvaluations;
      return { problem: error.message, isTooLarge, place: cursor.place.pointer };
    }
    throw error;
  }
}
