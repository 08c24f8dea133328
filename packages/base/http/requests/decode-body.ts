import type { IncomingMessage } from 'node:http';
import { promisify } from 'node:util';
import { gunzip, gunzipSync, inflate, inflateSync } from 'node:zlib';
import { HttpProblem } from '../problems/problems.ts';
import { cutShort, tooLarge } from './unreadable.ts';

const DECODERS = {
  gzip: { atOnce: gunzipSync, aside: promisify(gunzip) },
  deflate: { atOnce: inflateSync, aside: promisify(inflate) },
} as const;

export type Encoding = keyof typeof DECODERS | 'identity';

/**
 * Returns the encoding of the body; throws a 415 for an encoding that we cannot decode. Brotli is none of ours: it lets 80 bytes cost a
 * decoder as much as 16,000, no known sender uses it, and Unleash rejects it.
 */
export function encodingOf(request: IncomingMessage): Encoding {
  const encoding = (request.headers['content-encoding']?.trim() || 'identity').toLowerCase();
  if (encoding === 'identity' || encoding === 'gzip' || encoding === 'deflate') return encoding;
  throw new HttpProblem(415, 'Content-Encoding must be identity, gzip or deflate.', {
    bodyProblem: 'content_encoding',
  });
}

/** Empty blocks take up to 0.1 ms for each kilobyte and have no content, so the limit of the content does not bound them. */
const MAX_AT_ONCE = 16 * 1024;

/** Whether to decode a body takes so long that others must not wait for it. */
export function isDecodedAside(body: Buffer, encoding: Encoding): boolean {
  return encoding !== 'identity' && body.length > MAX_AT_ONCE;
}

/** Decodes a long body in a thread, and others at once, because for them a thread costs more than the work. Throws a 413 above `limit` bytes, and a 400. */
export async function decodeBody(body: Buffer, encoding: Encoding, limit: number): Promise<Buffer> {
  if (encoding === 'identity' || !isDecodedAside(body, encoding)) return decodeAtOnce(body, encoding, limit);
  try {
    return await DECODERS[encoding].aside(body, { maxOutputLength: limit });
  } catch (error) {
    throw isTooLarge(error) ? tooLarge(limit) : cutShort('undecodable', error);
  }
}

/** The same, whatever it costs. */
export function decodeAtOnce(body: Buffer, encoding: Encoding, limit: number): Buffer {
  const decoded = decodeShortBody(body, encoding, limit);
  if (decoded === undefined) throw tooLarge(limit);
  return decoded;
}

/** The same, but undefined above `limit` bytes. */
export function decodeShortBody(body: Buffer, encoding: Encoding, limit: number): Buffer | undefined {
  if (encoding === 'identity') return body.length > limit ? undefined : body;
  try {
    return DECODERS[encoding].atOnce(body, { maxOutputLength: limit });
  } catch (error) {
    if (isTooLarge(error)) return undefined;
    throw cutShort('undecodable', error);
  }
}

function isTooLarge(error: unknown): boolean {
  return error instanceof Error && 'code' in error && error.code === 'ERR_BUFFER_TOO_LARGE';
}
