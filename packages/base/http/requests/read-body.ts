import type { IncomingMessage } from 'node:http';
import type { BodyProblem } from '../problems/body-problems.ts';
import { HttpProblem } from '../problems/problems.ts';
import { type Encoding, decodeBody } from './decode-body.ts';
import { areTiny } from './tiny-chunks.ts';
import { cutShort, tooLarge, tooManyChunks, tooSlow } from './unreadable.ts';

export type AcceptedContent = {
  /** A type that the caller also accepts. */
  readonly other?: string;
  /** Whether UTF-16 is accepted, too. */
  readonly mayBeUtf16?: boolean;
};

/** Throws a 415 unless the content type is application/json in UTF-8. */
export function checkContentType(
  request: IncomingMessage,
  { other, mayBeUtf16 = false }: AcceptedContent = {},
): void {
  const [type = '', ...parameters] = (request.headers['content-type'] ?? '').split(';');
  if (type.trim().toLowerCase() !== 'application/json') {
    const types = ['application/json', ...(other === undefined ? [] : [other])].join(' or ');
    throw new HttpProblem(415, `Content-Type must be ${types}.`);
  }
  for (const parameter of parameters) {
    const [name = '', value = ''] = parameter.split('=');
    if (name.trim().toLowerCase() !== 'charset' || IS_UTF8.test(value.trim())) continue;
    if (!mayBeUtf16 || !IS_UTF16.test(value.trim()))
      throw new HttpProblem(415, 'The charset must be utf-8.', { bodyProblem: 'charset' });
  }
}

const IS_UTF8 = /^"?utf-?8"?$/i;
const IS_UTF16 = /^"?utf-16(?:le|be)?"?$/i;

/** Throws a 413 if the declared length exceeds the limit. The size of a compressed body is known only after decoding. */
export function checkDeclaredLength(request: IncomingMessage, encoding: Encoding, limit: number): void {
  if (encoding === 'identity' && Number(request.headers['content-length'] ?? 0) > limit)
    throw tooLarge(limit);
}

export type ReadOptions = {
  readonly encoding: Encoding;
  readonly limit: number;
  /** Called with the number of bytes received, and later decoded; an error that it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
  /** A body that is incomplete at this deadline gets a 408, and its connection closes. */
  readonly deadlineMs?: number;
};

/** Incompressible content may make a compressed body longer than the content; this bounds the extra bytes. */
const FRAMING_BYTES = 1024;

/** Reads and decodes a body. Throws a 413 above `limit` bytes, and a 400 if the body is incomplete or cannot be decoded. */
export async function readBody(request: IncomingMessage, options: ReadOptions): Promise<Buffer> {
  const { encoding, limit, onBytes } = options;
  const body = await readEncodedBody(request, options);
  if (encoding === 'identity') return body;
  // Decoded only when complete, because a decoder holds far more memory than the bytes that a slow client has sent.
  const decoded = await decodeBody(body, encoding, limit);
  onBytes?.(decoded.length);
  return decoded;
}

/** Reads all bytes of a body as they were sent. A rejected body is paused, and its rest is read only after the answer. */
export function readEncodedBody(
  request: IncomingMessage,
  { encoding, limit, onBytes, deadlineMs }: ReadOptions,
): Promise<Buffer> {
  const longest = encoding === 'identity' ? limit : limit + FRAMING_BYTES;
  // A request that is already destroyed emits no further events.
  if (request.destroyed) return Promise.reject(cutShort('incomplete'));
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let length = 0;
    const finish = (): void => {
      clearTimeout(deadline);
      request.off('data', onData).off('end', onEnd).off('error', onError).off('close', onError);
    };
    const stop = (error: Error): void => {
      finish();
      request.pause();
      reject(error);
    };
    const onData = (chunk: Buffer): void => {
      try {
        length += chunk.length;
        if (length > longest) throw tooLarge(limit);
        if (areTiny(chunks.length, length)) throw tooManyChunks();
        onBytes?.(chunk.length);
        chunks.push(chunk);
      } catch (error) {
        stop(error instanceof Error ? error : cutShort('incomplete', error));
      }
    };
    const onEnd = (): void => {
      finish();
      const [only] = chunks;
      resolve(only !== undefined && chunks.length === 1 ? only : Buffer.concat(chunks, length));
    };
    const onError = (error?: Error): void => {
      finish();
      reject(cutShort('incomplete', error));
    };
    const deadline =
      deadlineMs === undefined
        ? undefined
        : setTimeout(() => {
            stop(tooSlow());
          }, deadlineMs);
    request.on('data', onData).on('end', onEnd).on('error', onError).on('close', onError);
  });
}

const UTF8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/**
 * Parses a JSON body; throws a 400 if it is not UTF-8 or not JSON. The message of the parser is hidden, because it quotes the
 * body.
 */
export function parseJson(body: Buffer): unknown {
  let text: string;
  try {
    text = UTF8.decode(body);
  } catch {
    throw notJson('not_utf8', 'must be UTF-8');
  }
  return parseText(text);
}

const REPLACING = {
  utf8: new TextDecoder('utf-8'),
  utf16: new TextDecoder('utf-16le'),
  utf16be: new TextDecoder('utf-16be'),
} as const;

/**
 * The same for bodies that Unleash takes, whose parser skips a byte order mark, replaces bytes that are not UTF-8, such as those of a
 * name in Latin-1, and reads UTF-16.
 */
export function parseForgivingly(body: Buffer): unknown {
  return parseText(REPLACING[encodingOfText(body)].decode(body));
}

/** JSON begins with ASCII or a byte order mark. */
function encodingOfText([first, second]: Buffer): keyof typeof REPLACING {
  if (second === 0 || (first === 0xff && second === 0xfe)) return 'utf16';
  return first === 0 || (first === 0xfe && second === 0xff) ? 'utf16be' : 'utf8';
}

function parseText(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    if (text === '') throw notJson('empty', 'must be JSON, is empty');
    if (text.startsWith('\uFEFF')) throw notJson('byte_order_mark', 'must be JSON without a byte order mark');
    throw notJson('not_json', 'must be JSON');
  }
}

function notJson(bodyProblem: BodyProblem, message: string): HttpProblem {
  return new HttpProblem(400, 'The body is not valid JSON.', {
    details: [{ path: '', message }],
    bodyProblem,
  });
}
