export type Decoded = { readonly text: string; readonly isBinary: boolean };

/** Git calls a file binary if its beginning has a NUL. */
const BEGINNING = 8000;

/**
 * The text of a file, without its byte order mark. Git takes UTF-16 and UTF-32 for binary. Without a mark they are recognised by
 * their characters. What remains with a NUL is binary.
 */
export function decode(content: Buffer): Decoded {
  const marked = ENCODINGS.find(({ mark }) => content.subarray(0, mark.length).equals(mark));
  if (marked !== undefined) {
    const text = marked.decode(content.subarray(marked.mark.length));
    return { text, isBinary: text.slice(0, BEGINNING).includes('\0') };
  }
  const beginning = content.subarray(0, BEGINNING);
  if (!beginning.includes(0)) return { text: content.toString('utf8'), isBinary: false };
  const encoding = ENCODINGS.find((one) => isCode(one.decode(beginning)));
  return { text: (encoding ?? UTF_8).decode(content), isBinary: encoding === undefined };
}

const UTF_8 = {
  mark: Buffer.from([0xef, 0xbb, 0xbf]),
  decode: (content: Buffer) => content.toString('utf8'),
};

/** The mark of UTF-32 begins with the one of UTF-16. */
const ENCODINGS = [
  {
    mark: Buffer.from([0xff, 0xfe, 0, 0]),
    decode: (content: Buffer) => decodeUtf32(content, 'readUInt32LE'),
  },
  {
    mark: Buffer.from([0, 0, 0xfe, 0xff]),
    decode: (content: Buffer) => decodeUtf32(content, 'readUInt32BE'),
  },
  { mark: Buffer.from([0xff, 0xfe]), decode: (content: Buffer) => content.toString('utf16le') },
  { mark: Buffer.from([0xfe, 0xff]), decode: decodeUtf16BigEndian },
  UTF_8,
];

/** A copy is swapped, because the next file is read into the same buffer. */
function decodeUtf16BigEndian(content: Buffer): string {
  return Buffer.from(content.subarray(0, content.length - (content.length % 2)))
    .swap16()
    .toString('utf16le');
}

const LAST_CODE_POINT = 0x10_ff_ff;

function decodeUtf32(content: Buffer, read: 'readUInt32LE' | 'readUInt32BE'): string {
  let text = '';
  for (let offset = 0; offset + 4 <= content.length; offset += 4) {
    const code = content[read](offset);
    text += code > LAST_CODE_POINT ? '\u{fffd}' : String.fromCodePoint(code);
  }
  return text;
}

const CONTROL = /[^\P{Cc}\t\n\f\r]|\u{fffd}/u;
const ASCII = /[ -~]/g;

/** A quarter of the characters of code is ASCII. The right bytes in the wrong encoding have controls, or no ASCII. */
function isCode(text: string): boolean {
  const ascii = text.match(ASCII)?.length ?? 0;
  return ascii > 0 && ascii * 4 >= text.length && !CONTROL.test(text);
}
