import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { decodeBody, isDecodedAside } from '#base/http';
import { turnsUntil } from '../../../support/stack/measures/turns.ts';
import { emptyBlocks } from '../../../support/attacks/bodies/dear-encodings.ts';

const LIMIT = 1_000_000;

describe('decodeBody', () => {
  for (const [encoding, encode] of [
    ['gzip', gzipSync],
    ['deflate', deflateSync],
  ] as const)
    for (const [what, level] of [
      ['at once', 9],
      ['aside', 0],
    ] as const)
      it(`decodes ${encoding} ${what}, up to the limit`, async () => {
        const body = Buffer.alloc(LIMIT, 'x');
        const encoded = encode(body, { level });
        expect(isDecodedAside(encoded, encoding)).to.equal(what === 'aside');
        expect((await decodeBody(encoded, encoding, LIMIT)).equals(body)).to.equal(true);
        expect(await statusOf(decodeBody(encoded, encoding, LIMIT - 1))).to.equal(413);
        const cut = encoded.subarray(0, -5);
        expect(await statusOf(decodeBody(cut, encoding, LIMIT))).to.equal(400);
      });

  it('decodes empty blocks aside', async () => {
    const decoding = decodeBody(emptyBlocks(LIMIT), 'deflate', LIMIT);
    const turns = await turnsUntil(decoding);
    expect((await decoding).length).to.equal(0);
    expect(turns).to.be.above(1);
  });
});

async function statusOf(decoding: Promise<unknown>): Promise<unknown> {
  try {
    return await decoding;
  } catch (error) {
    return (error as { status: number }).status;
  }
}
