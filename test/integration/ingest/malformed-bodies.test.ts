import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import type { Service } from '#runtime';
import { startIngest } from '../../../services/ingest/app.ts';
import { type Post, aFreshMetric, bodyOf, post, problemOf } from '../../support/post.ts';
import { countMessages } from '../../support/topics.ts';
import { type World, createWorld } from '../../support/world.ts';

/** A good metric goes with everything bad, to show that nothing of the request is stored. */
const GOOD = bodyOf({ applications: [{ appName: 'checkout' }], metrics: [aFreshMetric({ yes: 1 })] });

const NOT_JSON: readonly { title: string; body: string | Uint8Array<ArrayBuffer> }[] = [
  { title: 'an empty body', body: '' },
  { title: 'white space', body: ' \n ' },
  { title: 'a truncated body', body: GOOD.slice(0, -1) },
  { title: 'a body with something behind it', body: `${GOOD}x` },
  { title: 'two bodies', body: `${GOOD}\n${GOOD}` },
  { title: 'single quotes', body: GOOD.replaceAll('"', "'") },
  { title: 'a comment', body: `/* batch */${GOOD}` },
  { title: 'NaN', body: GOOD.replace('"yes":1', '"yes":NaN') },
  { title: 'a raw NUL in a name', body: GOOD.replace('checkout', 'check\0out') },
  { title: 'a form', body: 'applications=&metrics=' },
  // RFC 8259 forbids to send a byte order mark; no relay does, and JSON.parse refuses it.
  { title: 'a byte order mark', body: `\uFEFF${GOOD}` },
  { title: 'UTF-16', body: new Uint8Array(Buffer.from(GOOD, 'utf16le')) },
  { title: 'a byte that is not UTF-8', body: withByte(0xff) },
  { title: 'a UTF-8 sequence that is cut short', body: withByte(0xc3) },
  { title: 'a nesting of 50,000', body: '['.repeat(50_000) },
];

const NOT_DECODABLE: readonly { title: string; encoding: string; body: string | Uint8Array<ArrayBuffer> }[] =
  [
    { title: 'gzip that is none', encoding: 'gzip', body: GOOD },
    { title: 'truncated gzip', encoding: 'gzip', body: gzipSync(GOOD).subarray(0, -9) },
    { title: 'gzip without its checksum', encoding: 'gzip', body: gzipSync(GOOD).subarray(0, -8) },
    { title: 'gzip with a wrong checksum', encoding: 'gzip', body: damaged(gzipSync(GOOD), -8) },
    { title: 'gzip with a damaged byte', encoding: 'gzip', body: damaged(gzipSync(GOOD), 20) },
    { title: 'an empty gzip body', encoding: 'gzip', body: '' },
    { title: 'gzip of nothing', encoding: 'gzip', body: gzipSync('') },
    {
      title: 'gzip with something behind it',
      encoding: 'gzip',
      body: new Uint8Array(Buffer.concat([gzipSync(GOOD), Buffer.from('behind')])),
    },
    { title: 'gzip of a malformed body', encoding: 'gzip', body: gzipSync('{') },
    { title: 'gzip inside gzip', encoding: 'gzip', body: gzipSync(gzipSync(GOOD)) },
    { title: 'deflate that is gzip', encoding: 'deflate', body: gzipSync(GOOD) },
    { title: 'truncated deflate', encoding: 'deflate', body: deflateSync(GOOD).subarray(0, -5) },
    { title: 'brotli that is none', encoding: 'br', body: GOOD },
    { title: 'truncated brotli', encoding: 'br', body: brotliCompressSync(GOOD).subarray(0, -3) },
  ];

describe('a malformed body', () => {
  let world: World;
  let front: Service;
  before(async () => {
    world = await createWorld();
    front = await world.run(startIngest);
  });
  after(() => world.dispose());

  async function expectRefused(request: Partial<Post>): Promise<void> {
    const before = await countMessages(world);
    const answer = await post(front, request);
    expect(answer.status).to.equal(400);
    expect(problemOf(answer).name).to.equal('ValidationError');
    expect(problemOf(answer).details?.[0]?.path).to.equal('');
    expect(await countMessages(world)).to.equal(before);
  }

  it('is told from a good one by what is stored', async () => {
    expect(await countMessages(world)).to.equal(0);
    expect((await post(front, { body: GOOD })).status).to.equal(202);
    expect(await countMessages(world)).to.equal(2);
  });

  for (const { title, body } of NOT_JSON) {
    it(`is refused with nothing stored: ${title}`, () => expectRefused({ body }));
  }

  for (const { title, encoding, body } of NOT_DECODABLE) {
    it(`is refused with nothing stored: ${title}`, () =>
      expectRefused({ body, headers: { 'content-encoding': encoding } }));
  }

  it('is not quoted in the answer', async () => {
    const { text } = await post(front, { body: '{"metrics": recognisable-body' });
    expect(text).not.to.include('recognisable');
  });

  it('does not stop ingest, however deep its nesting', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const unknown = GOOD.replace('{', `{"unknown":${deep},`);
    expect((await post(front, { body: unknown })).status).to.equal(202);
    expect((await post(front, { body: `{"applications":[],"metrics":${deep}}` })).status).to.equal(400);
    expect((await post(front, { body: GOOD })).status).to.equal(202);
  });

  it('cannot hide its members in a prototype', () =>
    expectRefused({ body: `{"__proto__":${GOOD},"constructor":{"prototype":${GOOD}}}` }));
});

function withByte(byte: number): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(GOOD);
  bytes[GOOD.indexOf('checkout')] = byte;
  return bytes;
}

function damaged(bytes: Buffer, index: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  const place = index < 0 ? copy.length + index : index;
  copy[place] = (copy[place] ?? 0) ^ 0xff;
  return copy;
}
