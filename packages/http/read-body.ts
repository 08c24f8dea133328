import type { IncomingMessage } from 'node:http';
import type { Readable } from 'node:stream';
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib';
import rawBody from 'raw-body';
import { HttpProblem } from './problems.ts';

const DECODERS = {
  gzip: createGunzip,
  deflate: createInflate,
  br: createBrotliDecompress,
} as const;

type Encoding = keyof typeof DECODERS | 'identity';

/** The encoding of a request's body; 415 for one that we cannot decode. */
export function encodingOf(request: IncomingMessage): Encoding {
  const encoding = (request.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  if (encoding === 'identity' || encoding === 'gzip' || encoding === 'deflate' || encoding === 'br')
    return encoding;
  throw new HttpProblem(415, 'Content-Encoding must be identity, gzip, deflate or br.');
}

/** 415 unless the content type is application/json in UTF-8. */
export function checkContentType(request: IncomingMessage): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    throw new HttpProblem(415, 'Content-Type must be application/json.');
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    const isCharset = name.trim().toLowerCase() === 'charset';
    if (isCharset && !/^"?utf-?8"?$/i.test(value.trim()))
      throw new HttpProblem(415, 'The charset must be utf-8.');
  }
}

/** 413 for a body whose declared length is over the limit already. Of a compressed one only reading can tell. */
export function checkDeclaredLength(request: IncomingMessage, encoding: Encoding, limit: number): void {
  if (encoding === 'identity' && Number(request.headers['content-length'] ?? 0) > limit)
    throw tooLarge(limit);
}

export type ReadOptions = { readonly encoding: Encoding; readonly limit: number };

/** The body, decoded, of at most `limit` bytes: 413 beyond, 400 if it is cut short or cannot be decoded. */
export async function readBody(request: IncomingMessage, { encoding, limit }: ReadOptions): Promise<Buffer> {
  try {
    if (encoding === 'identity') {
      return await rawBody(request, { limit, length: request.headers['content-length'] ?? null });
    }
    const decoder = DECODERS[encoding]();
    return await readDecoded(request, decoder, limit);
  } catch (error) {
    throw toProblem(error, limit);
  }
}

async function readDecoded(
  request: IncomingMessage,
  decoder: Readable & NodeJS.WritableStream,
  limit: number,
): Promise<Buffer> {
  // A client that is gone already would never end the decoder, and the room of its request never be free again.
  if (request.destroyed) throw new Error('request aborted');
  const abort = (): void => {
    decoder.destroy(new Error('request aborted'));
  };
  request.once('aborted', abort);
  try {
    request.pipe(decoder);
    return await rawBody(decoder, { limit });
  } finally {
    request.off('aborted', abort);
    request.unpipe(decoder);
    decoder.destroy();
  }
}

function toProblem(error: unknown, limit: number): unknown {
  if (!(error instanceof Error)) return error;
  if ('type' in error && error.type === 'entity.too.large') return tooLarge(limit);
  return new HttpProblem(400, 'The body could not be read.', {
    details: [{ path: '', message: 'must be whole and encoded as Content-Encoding says' }],
    cause: error,
  });
}

function tooLarge(limit: number): HttpProblem {
  return new HttpProblem(413, `The body is larger than ${limit} bytes.`);
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** JSON of a body; 400 if it is not UTF-8 or not JSON. The parser's message is not shown: it quotes the body. */
export function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    throw notJson('must be UTF-8');
  }
  try {
    return JSON.parse(text);
  } catch {
    if (text === '') throw notJson('must be JSON, is empty');
    throw notJson(text.startsWith('\uFEFF') ? 'must be JSON without a byte order mark' : 'must be JSON');
  }
}

function notJson(message: string): HttpProblem {
  return new HttpProblem(400, 'The body is not valid JSON.', { details: [{ path: '', message }] });
}
