import { type Steps, inOneGo } from '#core/counting';
import { type Encoding, decodeAtOnce, decodeBody, decodeShortBody, isDecodedAside } from '#base/http';
import { type LongWork, MAX_SHORT_BYTES } from './long-bodies.ts';
import {
  type Prepared,
  type PublicationOptions,
  type Sent,
  beginReading,
  prepareInSteps,
  preparePublication,
} from './prepare-publication.ts';

/** The body of a request as it was sent. */
export type EncodedBody = {
  readonly bytes: Buffer;
  readonly encoding: Encoding;
  readonly limit: number;
  /** Called with the number of decoded bytes. An error that it throws ends the reading. */
  readonly onBytes: (bytes: number) => void;
};

/**
 * Prepares the publication of a body at once if it is short, or has the form that relays write. Of any other, returns the work, which
 * may take long. Throws an HttpProblem if the body does not fit its schema.
 */
export function prepareBody(
  encoded: EncodedBody,
  sent: Sent,
  options: PublicationOptions,
): Prepared | { readonly inSteps: LongWork<Prepared> } {
  const { readFast } = options.form;
  const body = readFast === undefined ? decodeShort(encoded) : decodeUnlessAside(encoded);
  // Decoded only when it is its turn, because a decoded body may be a thousand times as long.
  if (body === undefined) return { inSteps: async () => prepareLong(await decode(encoded), sent, options) };
  const reading = beginReading(body, sent, options);
  const batch = readFast?.(body, reading.options);
  if (batch !== undefined) return preparePublication(batch, reading, options);
  const inSteps = (): Steps<Prepared> => prepareLong(body, sent, options);
  return body.length <= MAX_SHORT_BYTES ? inOneGo(inSteps()) : { inSteps };
}

function* prepareLong(body: Buffer, sent: Sent, options: PublicationOptions): Steps<Prepared> {
  const reading = beginReading(body, sent, options);
  yield;
  const batch = yield* options.form.read(reading.body, reading.options);
  yield;
  return yield* prepareInSteps(batch, reading, options);
}

/** Undefined if the body is long. */
function decodeShort({ bytes, encoding, onBytes }: EncodedBody): Buffer | undefined {
  if (isDecodedAside(bytes, encoding)) return undefined;
  const body = decodeShortBody(bytes, encoding, MAX_SHORT_BYTES);
  if (body !== undefined && body !== bytes) onBytes(body.length);
  return body;
}

function decodeUnlessAside({ bytes, encoding, limit, onBytes }: EncodedBody): Buffer | undefined {
  if (isDecodedAside(bytes, encoding)) return undefined;
  const body = decodeAtOnce(bytes, encoding, limit);
  if (body !== bytes) onBytes(body.length);
  return body;
}

async function decode({ bytes, encoding, limit, onBytes }: EncodedBody): Promise<Buffer> {
  const body = await decodeBody(bytes, encoding, limit);
  if (body !== bytes) onBytes(body.length);
  return body;
}
