import { brotliCompressSync, deflateRawSync, deflateSync, gzipSync } from 'node:zlib';
import { type Attack, type Cost, type Sent, dearAmong } from './cost.ts';
import type { Door } from './doors.ts';

/** What decoders may make of a few kilobytes. */
const BOMB = new Uint8Array(16 * 1024 * 1024).fill(0x20);
const SMALLEST = { level: 9 };
const BOMBS = { gzip: gzipSync(BOMB, SMALLEST), deflate: deflateSync(BOMB, SMALLEST) } as const;

type Encoded = Sent & {
  /** The answer; undefined if the body is taken as if it were not encoded. */
  readonly rejection: 400 | 413 | 415 | undefined;
};

/**
 * Sends bodies in all encodings through a door, or only those that it must reject. Returns those that are too dear, and the answers that
 * are wrong.
 */
export async function wrongAmongEncodings(
  attack: Attack,
  which: 'all' | 'rejected',
): Promise<(Cost | readonly unknown[])[]> {
  const { door } = attack;
  const statuses = new Map<string, number>();
  const noting: Attack = {
    ...attack,
    answered(status, sent) {
      attack.answered(status, sent);
      statuses.set(sent.what, status);
    },
  };
  const bodies = encodingsOf(door).filter(({ rejection }) => which === 'all' || rejection !== undefined);
  const dear = await dearAmong(noting, bodies);
  const wrong = bodies.flatMap(({ what, rejection }) => {
    const status = statuses.get(what) ?? 0;
    const isRight = rejection === undefined ? status < 300 : status === rejection;
    return isRight ? [] : [[door.method, door.path, door.contentType, what, status, rejection]];
  });
  return [...dear, ...wrong];
}

/** An honest body, and bombs, in each encoding that a sender may name or misname. */
function encodingsOf({ honest, encode, maxBytes }: Door): Encoded[] {
  const body = encode(honest);
  const [gzip, deflate] = [gzipSync(body), deflateSync(body)];
  const half = Math.floor(body.length / 2);
  const [first, second] = [gzipSync(body.subarray(0, half)), gzipSync(body.subarray(half))];
  const wrongSum = Buffer.from(gzip);
  wrongSum.writeUInt8(wrongSum.readUInt8(gzip.length - 8) ^ 1, gzip.length - 8);
  const encoded = (rejection: Encoded['rejection'], ways: Ways): Encoded[] =>
    Object.entries(ways).map(([what, [encoding, bytes]]) => ({
      what,
      encoding,
      bytes,
      rejection,
      kilobytes: body.length / 1000,
    }));
  return [
    ...encoded(undefined, {
      identity: ['Identity', body],
      'gzip in capitals': ['GZIP', gzip],
      'gzip in two members': ['gzip', Buffer.concat([first, second])],
      'gzip with an empty member': ['gzip', Buffer.concat([gzipSync(''), gzip])],
      'gzip with zeros behind it': ['gzip', Buffer.concat([gzip, Buffer.alloc(100)])],
      deflate: ['deflate', deflate],
    }),
    ...encoded(400, {
      'gzip with a text behind it': ['gzip', Buffer.concat([gzip, Buffer.from('more')])],
      'gzip without its end': ['gzip', gzip.subarray(0, -1)],
      'half of a gzip': ['gzip', gzip.subarray(0, gzip.length / 2)],
      'the head of a gzip': ['gzip', gzip.subarray(0, 10)],
      'gzip whose second member is cut': ['gzip', Buffer.concat([first, second.subarray(0, -9)])],
      'gzip with a wrong checksum': ['gzip', wrongSum],
      'gzip of what is not encoded': ['gzip', body],
      'gzip of a deflated body': ['gzip', deflate],
      'half of a deflated body': ['deflate', deflate.subarray(0, deflate.length / 2)],
      'deflate without its header': ['deflate', deflateRawSync(body)],
      'deflate of a gzip': ['deflate', gzip],
      'identity of a gzip': ['identity', gzip],
      'gzip of a body that is twice': ['gzip', gzipSync(gzip)],
    }),
    ...encoded(413, {
      'a bomb in gzip': ['gzip', BOMBS.gzip],
      'a bomb in deflate': ['deflate', BOMBS.deflate],
      'a bomb behind an honest member': ['gzip', Buffer.concat([gzip, BOMBS.gzip])],
      'as many bombs as are allowed': ['gzip', repeated(BOMBS.gzip, maxBytes)],
    }),
    ...encoded(415, {
      br: ['br', brotliCompressSync(body)],
      zstd: ['zstd', body],
      compress: ['compress', body],
      'identity and gzip': ['identity, gzip', gzip],
      'gzip and identity': ['gzip, identity', gzip],
      'gzip twice': ['gzip, gzip', gzipSync(gzip)],
      'gzip with a weight': ['gzip;q=1', gzip],
      chunked: ['chunked', body],
      'the name of a member of objects': ['__proto__', body],
    }),
  ];
}

type Ways = Readonly<Record<string, readonly [encoding: string, bytes: Uint8Array]>>;

function repeated(part: Buffer, maxBytes: number): Uint8Array {
  return Buffer.concat(Array.from({ length: Math.floor(maxBytes / part.length) }, () => part));
}
