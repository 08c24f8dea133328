import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';

/** How a right body is sent: its headers, and its bytes. */
export type Envelope = {
  /** '' omits the header. */
  readonly contentType?: string;
  readonly contentEncoding?: string;
  readonly bytesOf?: (json: string) => Uint8Array;
};

type Envelopes = Readonly<Record<string, Envelope>>;

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json;charset="UTF-8"',
  'APPLICATION/JSON',
  'application/json ; charset=utf-8',
  'application/json;',
  'application/json; charset=utf8',
  'application/json; charset=us-ascii',
  'application/json; charset=iso-8859-1',
  'application/json; charset=',
  'application/json; version=1',
  'application/json, text/plain',
  'application/vnd.api+json',
  'text/json',
  'text/plain; charset=utf-8',
  'application/x-www-form-urlencoded',
  'application/octet-stream',
  '*/*',
  '',
];

const gzip = (json: string): Uint8Array => gzipSync(json);
const halfOf = (bytes: Uint8Array): Uint8Array => bytes.subarray(0, bytes.length / 2);

const CONTENT_ENCODINGS: Envelopes = {
  'an empty one': { contentEncoding: '' },
  identity: { contentEncoding: 'identity' },
  gzip: { contentEncoding: 'gzip', bytesOf: gzip },
  'gzip in capitals': { contentEncoding: 'GZIP', bytesOf: gzip },
  'x-gzip': { contentEncoding: 'x-gzip', bytesOf: gzip },
  deflate: { contentEncoding: 'deflate', bytesOf: (json) => deflateSync(json) },
  'deflate without its header': { contentEncoding: 'deflate', bytesOf: (json) => deflateRawSync(json) },
  br: { contentEncoding: 'br', bytesOf: (json) => brotliCompressSync(json) },
  zstd: { contentEncoding: 'zstd' },
  'an unknown one': { contentEncoding: 'word' },
  'gzip of a body that is not compressed': { contentEncoding: 'gzip' },
  'none of a compressed body': { bytesOf: gzip },
  'gzip of a deflated body': { contentEncoding: 'gzip', bytesOf: (json) => deflateSync(json) },
  'gzip of half of it': { contentEncoding: 'gzip', bytesOf: (json) => halfOf(gzipSync(json)) },
  'gzip in two parts': {
    contentEncoding: 'gzip',
    bytesOf: (json) => Buffer.concat([gzipSync(json.slice(0, 40)), gzipSync(json.slice(40))]),
  },
  'gzip with more behind it': {
    contentEncoding: 'gzip',
    bytesOf: (json) => Buffer.concat([gzipSync(json), Buffer.from('more')]),
  },
  'gzip twice': { contentEncoding: 'gzip, gzip', bytesOf: (json) => gzipSync(gzipSync(json)) },
  'gzip twice, of a body that is once': { contentEncoding: 'gzip, gzip', bytesOf: gzip },
  'gzip of a body that is twice': { contentEncoding: 'gzip', bytesOf: (json) => gzipSync(gzipSync(json)) },
};

const padded = (length: number) => (json: string) => Buffer.from(json.padEnd(length));

const LENGTHS: Envelopes = {
  '100,000 bytes': { bytesOf: padded(100_000) },
  '102,400 bytes': { bytesOf: padded(102_400) },
  '102,401 bytes': { bytesOf: padded(102_401) },
  '200,000 bytes': { bytesOf: padded(200_000) },
  '102,401 bytes after decompression': {
    contentEncoding: 'gzip',
    bytesOf: (json) => gzipSync(padded(102_401)(json)),
  },
};

const withText = (change: (json: string) => string): Envelope => ({
  bytesOf: (json) => Buffer.from(change(json)),
});
const marked = (json: string): string => `\uFEFF${json}`;
const utf16 = (json: string): Buffer => Buffer.from(json, 'utf16le');
const inCharset = (charset: string, bytesOf: (json: string) => Uint8Array): Envelope => ({
  contentType: `application/json; charset=${charset}`,
  bytesOf,
});

/** A body in which each of these numbers is written in another way. */
const withNumbers = (write: (digits: string) => string): Envelope =>
  withText((json) => json.replaceAll(/:(\d+)(?=[,}])/g, (_, digits: string) => `:${write(digits)}`));

/** JSON that no JSON.stringify writes. */
const WAYS_TO_WRITE: Envelopes = {
  'with 3.0 for 3': withNumbers((digits) => `${digits}.0`),
  'with 3e0 for 3': withNumbers((digits) => `${digits}e0`),
  'with 30E-1 for 3': withNumbers((digits) => `${digits}0E-1`),
  'with 03 for 3': withNumbers((digits) => `0${digits}`),
  'with -0 for each number': withNumbers(() => '-0'),
  'with 1e-400 for each number': withNumbers(() => '1e-400'),
  'with numbers twice': withText((json) => json.replaceAll(/"(yes|interval|value)":/g, '"$1":7,"$1":')),
  'with names twice': withText((json) => json.replaceAll(/"appName":/g, '"appName":"other","appName":')),
  // Within variants, Unleash takes it for a variant, and loses those of all rows that it stores at the same moment.
  'with __proto__': withText((json) => json.replace('{', '{"__proto__":{"appName":"other","yes":7},')),
  'with escapes in names': withText((json) => json.replaceAll('varied', String.raw`v\u0061ried`)),
  'with half a surrogate pair': withText((json) => json.replaceAll(/edge|Help/g, String.raw`\ud800`)),
  'with 5,000 lists in one another': withText((json) =>
    json.replace('{', `{"nested":${'['.repeat(5000)}${']'.repeat(5000)},`),
  ),
};

const TEXTS: Envelopes = {
  'with a byte order mark': { bytesOf: (json) => Buffer.from(marked(json)) },
  'in UTF-16': inCharset('utf-16', (json) => utf16(marked(json))),
  'in UTF-16 without a mark': inCharset('utf-16', utf16),
  'in UTF-16 with the low byte first': inCharset('UTF-16LE', utf16),
  'in UTF-16 with the high byte first': inCharset('utf-16be', (json) => utf16(json).swap16()),
  'in UTF-16 without its name': { bytesOf: (json) => utf16(marked(json)) },
  'in UTF-8 with the name of UTF-16': inCharset('utf-16', (json) => Buffer.from(json)),
  'in UTF-32': inCharset('utf-32le', (json) => utf32(json)),
  'in UTF-7': inCharset('utf-7', (json) => Buffer.from(json.replaceAll('+', '+-'))),
  'in Latin-1': { bytesOf: (json) => Buffer.from(json.replaceAll(/edge|Help/g, 'é'), 'latin1') },
  'with white space around it': { bytesOf: (json) => Buffer.from(` \n\t${json}\r\n`) },
  'with a comma behind it': { bytesOf: (json) => Buffer.from(`${json},`) },
  'that is cut off': { bytesOf: (json) => Buffer.from(json.slice(0, -1)) },
  'that is empty': { bytesOf: () => Buffer.alloc(0) },
  'that is null': { bytesOf: () => Buffer.from('null') },
  'that is a list': { bytesOf: (json) => Buffer.from(`[${json}]`) },
  'that is a text': { bytesOf: (json) => Buffer.from(JSON.stringify(json)) },
  'that is a number': { bytesOf: () => Buffer.from('7') },
};

function utf32(text: string): Uint8Array {
  return new Uint8Array(Uint32Array.from(text, (character) => character.codePointAt(0) ?? 0).buffer);
}

/** All envelopes, by what they vary. */
export const ENVELOPES: Readonly<Record<string, Envelopes>> = {
  'Content-Type': Object.fromEntries(
    CONTENT_TYPES.map((contentType) => [contentType === '' ? 'nothing' : contentType, { contentType }]),
  ),
  'Content-Encoding': CONTENT_ENCODINGS,
  'the length': LENGTHS,
  'the text': TEXTS,
  'the JSON': WAYS_TO_WRITE,
};
