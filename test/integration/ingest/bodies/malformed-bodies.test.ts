import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { type Post, aFreshMetric, bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

/** A good metric accompanies every mistake, to show that nothing of the request is stored. */
const GOOD = bodyOf({ applications: [{ appName: 'checkout' }], metrics: [aFreshMetric({ yes: 1 })] });

const NOT_JSON: readonly { title: string; body: string | Uint8Array<ArrayBuffer>; expected?: string }[] = [
  { title: 'an empty body', body: '', expected: 'must be JSON, is empty' },
  { title: 'white space', body: ' \n ' },
  { title: 'a truncated body', body: GOOD.slice(0, -1) },
  { title: 'a body with trailing bytes', body: `${GOOD}x` },
  { title: 'two bodies', body: `${GOOD}\n${GOOD}` },
  { title: 'single quotes', body: GOOD.replaceAll('"', "'") },
  { title: 'a comment', body: `/* batch */${GOOD}` },
  { title: 'NaN', body: GOOD.replace('"yes":1', '"yes":NaN') },
  { title: 'Infinity', body: GOOD.replace('"yes":1', '"yes":Infinity') },
  { title: 'a hexadecimal number', body: GOOD.replace('"yes":1', '"yes":0x1') },
  { title: 'a number with a leading zero', body: GOOD.replace('"yes":1', '"yes":01') },
  { title: 'a member without quotes', body: GOOD.replace('"yes"', 'yes') },
  { title: 'an extra comma', body: GOOD.replace(']', ',]') },
  { title: 'a raw NUL in a name', body: GOOD.replace('checkout', 'check\0out') },
  { title: 'a form', body: 'applications=&metrics=' },
  // RFC 8259 forbids senders a byte order mark. No relay sends one, and JSON.parse rejects it.
  {
    title: 'a byte order mark',
    body: `\uFEFF${GOOD}`,
    expected: 'must be JSON without a byte order mark',
  },
  { title: 'UTF-16', body: new Uint8Array(Buffer.from(GOOD, 'utf16le')) },
  {
    title: 'Latin-1',
    body: new Uint8Array(Buffer.from(GOOD.replace('checkout', 'bücher'), 'latin1')),
    expected: 'must be UTF-8',
  },
  { title: 'a byte that is not UTF-8', body: withBytes(0xff), expected: 'must be UTF-8' },
  { title: 'a UTF-8 sequence that is cut short', body: withBytes(0xc3), expected: 'must be UTF-8' },
  { title: 'half a character', body: withBytes(0xed, 0xa0, 0xbe), expected: 'must be UTF-8' },
  { title: 'a character in too many bytes', body: withBytes(0xc0, 0xaf), expected: 'must be UTF-8' },
  { title: 'a nesting of 50,000', body: '['.repeat(50_000) },
];

const NOT_DECODABLE: readonly { title: string; encoding: string; body: string | Uint8Array<ArrayBuffer> }[] =
  [
    { title: 'invalid gzip', encoding: 'gzip', body: GOOD },
    { title: 'truncated gzip', encoding: 'gzip', body: gzipSync(GOOD).subarray(0, -9) },
    { title: 'gzip without its checksum', encoding: 'gzip', body: gzipSync(GOOD).subarray(0, -8) },
    { title: 'gzip with a wrong checksum', encoding: 'gzip', body: damaged(gzipSync(GOOD), -8) },
    { title: 'gzip with a damaged byte', encoding: 'gzip', body: damaged(gzipSync(GOOD), 20) },
    { title: 'an empty gzip body', encoding: 'gzip', body: '' },
    { title: 'gzip of nothing', encoding: 'gzip', body: gzipSync('') },
    {
      title: 'gzip with trailing bytes',
      encoding: 'gzip',
      body: new Uint8Array(Buffer.concat([gzipSync(GOOD), Buffer.from('behind')])),
    },
    { title: 'gzip of a malformed body', encoding: 'gzip', body: gzipSync('{') },
    { title: 'gzip inside gzip', encoding: 'gzip', body: gzipSync(gzipSync(GOOD)) },
    { title: 'deflate that is gzip', encoding: 'deflate', body: gzipSync(GOOD) },
    { title: 'truncated deflate', encoding: 'deflate', body: deflateSync(GOOD).subarray(0, -5) },
  ];

describe('a malformed body', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  async function expectRejected(request: Partial<Post>, expected = /^must be /): Promise<void> {
    const before = await countMessages(world);
    const answer = await post(ingest, request);
    expect(answer.status).to.equal(400);
    expect(problemOf(answer).name).to.equal('ValidationError');
    const [detail] = problemOf(answer).details ?? [];
    expect(detail?.path).to.equal('');
    expect(detail?.message).to.match(expected);
    expect(await countMessages(world)).to.equal(before);
  }

  it('differs from a good one, which is stored', async () => {
    expect(await countMessages(world)).to.equal(0);
    expect((await post(ingest, { body: GOOD })).status).to.equal(202);
    expect(await countMessages(world)).to.equal(2);
  });

  for (const { title, body, expected = 'must be JSON' } of NOT_JSON) {
    it(`is rejected with nothing stored: ${title}`, () =>
      expectRejected({ body }, new RegExp(`^${expected}$`)));
  }

  for (const { title, encoding, body } of NOT_DECODABLE) {
    it(`is rejected with nothing stored: ${title}`, () =>
      expectRejected({ body, headers: { 'content-encoding': encoding } }));
  }

  it('is not quoted in the answer', async () => {
    const { text } = await post(ingest, { body: '{"metrics": recognisable-body' });
    expect(text).not.to.include('recognisable');
  });

  it('does not stop ingest, however deep its nesting', async () => {
    const deep = `${'['.repeat(50_000)}${']'.repeat(50_000)}`;
    const unknown = GOOD.replace('{', `{"unknown":${deep},`);
    expect((await post(ingest, { body: unknown })).status).to.equal(202);
    expect((await post(ingest, { body: `{"applications":[],"metrics":${deep}}` })).status).to.equal(400);
    expect((await post(ingest, { body: GOOD })).status).to.equal(202);
  });

  it('cannot hide its members in a prototype', () =>
    expectRejected(
      { body: `{"__proto__":${GOOD},"constructor":{"prototype":${GOOD}}}` },
      /^must have required property 'applications'$/,
    ));
});

/** The good body with other bytes at the beginning of a name. */
function withBytes(...wrong: number[]): Uint8Array<ArrayBuffer> {
  const bytes = new TextEncoder().encode(GOOD);
  bytes.set(wrong, GOOD.indexOf('checkout'));
  return bytes;
}

function damaged(bytes: Buffer, index: number): Uint8Array<ArrayBuffer> {
  const copy = new Uint8Array(bytes);
  const place = index < 0 ? copy.length + index : index;
  copy[place] = (copy[place] ?? 0) ^ 0xff;
  return copy;
}
