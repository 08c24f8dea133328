import { expect } from 'chai';
import { parseForgivingly } from '#base/http';

const JSON_TEXT = '{"name":"ä"}';

describe('parseForgivingly', () => {
  for (const [encoding, encode] of [
    ['UTF-8', (text: string) => Buffer.from(text)],
    ['UTF-16', (text: string) => Buffer.from(text, 'utf16le')],
    ['UTF-16 with the high byte first', (text: string) => Buffer.from(text, 'utf16le').swap16()],
  ] as const)
    it(`reads ${encoding}, also with a byte order mark`, () => {
      for (const text of [JSON_TEXT, `\uFEFF${JSON_TEXT}`])
        expect(parseForgivingly(encode(text))).to.deep.equal({ name: 'ä' });
    });

  it('replaces bytes that are not UTF-8', () => {
    expect(parseForgivingly(Buffer.from(JSON_TEXT, 'latin1'))).to.deep.equal({ name: '\uFFFD' });
  });

  for (const [what, body] of [
    ['nothing', Buffer.alloc(0)],
    ['zeros', Buffer.alloc(4)],
    ['half a character of UTF-16', Buffer.from(JSON_TEXT, 'utf16le').subarray(0, -1)],
  ] as const)
    it(`rejects ${what}`, () => {
      expect(() => parseForgivingly(body)).to.throw('The body is not valid JSON.');
    });
});
