import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { startIngest } from '../../../../services/ingest/app.ts';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { type Post, aFreshMetric, bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const LIMIT = 102_400;
const MIB = 1024 * 1024;

/** The ways in which a client can send a body. */
const ENCODERS: readonly { way: string; encode: (body: string) => Partial<Post> }[] = [
  { way: 'declared', encode: (body) => ({ body }) },
  { way: 'chunked', encode: (body) => ({ body: new Blob([body]).stream() }) },
  {
    way: 'gzipped',
    encode: (body) => ({ body: gzipSync(body), headers: { 'content-encoding': 'gzip' } }),
  },
  {
    way: 'deflated',
    encode: (body) => ({ body: deflateSync(body), headers: { 'content-encoding': 'deflate' } }),
  },
  {
    way: 'gzipped and chunked',
    encode: (body) => ({
      body: new Blob([gzipSync(body)]).stream(),
      headers: { 'content-encoding': 'gzip' },
    }),
  },
];

describe('the size limit of a body', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const { way, encode } of ENCODERS) {
    it(`allows exactly 102,400 bytes, ${way}`, async () => {
      const answer = await post(ingest, encode(aBodyOf(LIMIT)));
      expect(answer.status).to.equal(202);
    });

    it(`allows one byte less, ${way}`, async () => {
      const answer = await post(ingest, encode(aBodyOf(LIMIT - 1)));
      expect(answer.status).to.equal(202);
    });

    it(`rejects 102,401 bytes, ${way}`, async () => {
      const answer = await post(ingest, encode(aBodyOf(LIMIT + 1)));
      expect(answer.status).to.equal(413);
      expect(problemOf(answer).name).to.equal('ContentTooLarge');
    });
  }

  it('leaves nothing of a rejected body stored', async () => {
    expect(await countMessages(world)).to.equal(0);
    const metrics = [aFreshMetric()];
    const body = bodyOf({ metrics }).replace('{', `{"pad":"${'x'.repeat(LIMIT)}",`);
    for (const { encode } of ENCODERS) await post(ingest, encode(body));
    expect(await countMessages(world)).to.equal(0);
    await post(ingest, { body: bodyOf({ metrics }) });
    expect(await countMessages(world)).to.equal(1);
  });

  it('rejects a number of a million digits', async () => {
    const body = bodyOf({ metrics: [aFreshMetric({ yes: 1 })] }).replace(
      '"yes":1',
      `"yes":${'1'.repeat(1e6)}`,
    );
    expect((await post(ingest, { body })).status).to.equal(413);
  });

  it('counts bytes, not characters', async () => {
    const body = JSON.stringify({ applications: [], metrics: [], pad: 'ü'.repeat(LIMIT / 2) });
    expect(body.length).to.be.below(LIMIT);
    expect((await post(ingest, { body })).status).to.equal(413);
  });

  it('counts the bytes after decompression, even if the compressed body is larger', async () => {
    const body = gzipSync(aBodyOf(LIMIT), { level: 0 });
    expect(body.length).to.be.above(LIMIT);
    const answer = await post(ingest, { body, headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).to.equal(202);
  });

  it('rejects a body that would inflate to a gibibyte, in bounded memory', async () => {
    // A gzip may consist of several members: one MiB on the wire.
    const member = gzipSync(Buffer.alloc(16 * MIB));
    const body = Buffer.concat(Array.from({ length: 64 }, () => member));
    const peakBefore = peakMemoryBytes();
    const answer = await post(ingest, { body, headers: { 'content-encoding': 'gzip' } });
    expect(answer.status).to.equal(413);
    expect(peakMemoryBytes() - peakBefore).to.be.below(256 * MIB);
  });

  it('rejects twenty such bodies at once, in bounded memory', async () => {
    const body = deflateSync(Buffer.alloc(64 * MIB));
    const peakBefore = peakMemoryBytes();
    const bombs = Array.from({ length: 20 }, () =>
      post(ingest, { body, headers: { 'content-encoding': 'deflate' } }),
    );
    const answers = await Promise.all(bombs);
    expect(answers.map(({ status }) => status)).to.deep.equal(Array.from(answers, () => 413));
    expect(peakMemoryBytes() - peakBefore).to.be.below(512 * MIB);
  });

  it('follows the configuration', async () => {
    const wider = await world.run((config, log) =>
      startIngest({ ...config, ingest: { ...config.ingest, maxBodyBytes: MIB } }, log),
    );
    expect((await post(wider, { body: aBodyOf(MIB) })).status).to.equal(202);
    expect((await post(wider, { body: aBodyOf(MIB + 1) })).status).to.equal(413);
  });
});

/** A valid body of exactly so many bytes. An unknown member fills it. */
function aBodyOf(bytes: number): string {
  const empty = bodyOf().replace('{', '{"pad":"",');
  return empty.replace('"pad":""', `"pad":"${'x'.repeat(bytes - empty.length)}"`);
}

/** The peak memory of this process, which includes ingest. */
function peakMemoryBytes(): number {
  return process.resourceUsage().maxRSS * 1024;
}
