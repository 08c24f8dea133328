import { expect } from 'chai';
import fc from 'fast-check';
import { decode } from '../../../../../services/cli/commands/scan/search/decode.ts';

const swap = (bytes: Buffer, size: 2 | 4): Buffer => (size === 2 ? bytes.swap16() : bytes.swap32());
const utf16 = (text: string): Buffer => Buffer.from(text, 'utf16le');
const utf32 = (text: string): Buffer =>
  Buffer.concat(
    Array.from(text, (character) => {
      const unit = Buffer.alloc(4);
      unit.writeUInt32LE(character.codePointAt(0) ?? 0);
      return unit;
    }),
  );

const ENCODINGS: Readonly<Record<string, (text: string) => Buffer>> = {
  'UTF-8': (text) => Buffer.from(text),
  'UTF-16, little endian': utf16,
  'UTF-16, big endian': (text) => swap(utf16(text), 2),
  'UTF-32, little endian': utf32,
  'UTF-32, big endian': (text) => swap(utf32(text), 4),
};
const CODE = `// größe 新しい 🧺\r\nif (unleash.isEnabled('new-basket')) {\n\tshow();\n}\n`;

describe('decode', () => {
  for (const [encoding, encode] of Object.entries(ENCODINGS)) {
    it(`reads ${encoding} with a byte order mark, whatever the text is`, () => {
      const text = fc.string({ unit: fc.constantFrom('a', '新', '🧺', '\n', ' ', "'") });
      fc.assert(
        fc.property(text, (one) => {
          expect(decode(encode(`\u{feff}${one}`))).to.deep.equal({ text: one, isBinary: false });
        }),
      );
    });

    it(`reads code of ${encoding} without a mark, short or long`, () => {
      for (const text of [CODE, CODE.repeat(1000), `isEnabled('a')`])
        expect(decode(encode(text))).to.deep.equal({ text, isBinary: false });
    });
  }

  it('takes a NUL for binary, in code and in data', () => {
    const binary = ['\0', `// \0\n${CODE}`, `${CODE}\0`].map((text) => Buffer.from(text));
    const numbers = Buffer.from(new Uint32Array(2000).map((_zero, index) => index * 7).buffer);
    for (const content of [...binary, numbers, Buffer.alloc(100)])
      expect(decode(content).isBinary).to.equal(true);
    expect(decode(Buffer.from(`// \0\n${CODE}`)).text).to.include(CODE);
  });

  it('reads an empty file, and one that ends within a character', () => {
    expect(decode(Buffer.alloc(0))).to.deep.equal({ text: '', isBinary: false });
    for (const encode of Object.values(ENCODINGS))
      expect(decode(encode(`\u{feff}${CODE}`).subarray(0, -1)).text).to.include('new-basket');
  });
});
