import { gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { eventually } from '../../../support/eventually.ts';
import { BYTES_IN_FLIGHT, readGauge } from '../../../support/stack/processes/gauges.ts';
import { aFreshMetric, bodyOf } from '../../../support/requests/post.ts';
import { type RawConnection, openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN } from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const MIB = 1024 * 1024;
const HEADERS = { Authorization: CLIENT_TOKEN, 'Content-Type': 'application/json' };
const LARGE = Buffer.alloc(MIB, ' ');
const GZIPPED_LARGE = gzipSync(LARGE, { level: 0 });

/** Requests that are rejected before, or during, their bodies. */
const REJECTED = [
  { title: 'a declared MiB', status: 413, request: declared(LARGE) },
  { title: 'a chunked MiB', status: 413, request: chunked(LARGE) },
  {
    title: 'a gzipped MiB',
    status: 413,
    request: declared(GZIPPED_LARGE, { 'Content-Encoding': 'gzip' }),
  },
  { title: 'a MiB of broken gzip', status: 413, request: declared(LARGE, { 'Content-Encoding': 'gzip' }) },
  // A collector sends so much at once.
  { title: 'ten declared MiB', status: 413, request: declared(Buffer.alloc(10 * MIB, ' ')) },
  { title: 'ten chunked MiB', status: 413, request: chunked(Buffer.alloc(10 * MIB, ' ')) },
  { title: 'a MiB without a token', status: 401, request: declared(LARGE, { Authorization: '' }) },
  { title: 'a chunked MiB of text', status: 415, request: chunked(LARGE, { 'Content-Type': 'text/plain' }) },
  { title: 'a small body without a token', status: 401, request: declared('{}', { Authorization: '' }) },
  { title: 'a small text', status: 415, request: declared('{}', { 'Content-Type': 'text/plain' }) },
  { title: 'a small malformed body', status: 400, request: declared('{') },
] as const;

const GZIPPED = gzipSync(bodyOf({ metrics: [aFreshMetric()] }));

/** Beginnings of requests whose clients then disconnect. */
const CUT_SHORT = [
  { title: 'a declared body', beginning: rawPost({ 'Content-Length': 500 }, '{"applications":[],') },
  {
    title: 'a body without its last declared byte',
    beginning: rawPost({ 'Content-Length': bodyOf().length + 1 }, bodyOf()),
  },
  {
    title: 'a chunked body',
    beginning: rawPost({ 'Transfer-Encoding': 'chunked' }, chunk(Buffer.from(bodyOf()))),
  },
  {
    title: 'a gzipped body',
    beginning: rawPost(
      { 'Content-Encoding': 'gzip', 'Content-Length': GZIPPED.length },
      GZIPPED.subarray(0, GZIPPED.length - 8),
    ),
  },
] as const;

describe('the connections of ingest', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);
  let connection: RawConnection;
  beforeEach(async () => {
    connection = await openRawConnection(ingest.url);
  });
  afterEach(() => {
    connection.cut();
  });

  for (const { title, status, request } of REJECTED) {
    it(`let a client that sends ${title} read its ${status} and continue`, async () => {
      // Writes everything before it reads anything, as simple clients do.
      await connection.write(request);
      expect((await connection.answer()).status).to.equal(status);
      await connection.write(declared(bodyOf()));
      expect((await connection.answer()).status).to.equal(202);
    });
  }

  for (const { title, authorization } of [
    { title: 'a relay', authorization: CLIENT_TOKEN },
    { title: 'a stranger', authorization: '*:production.nobody-knows-this-secret' },
  ]) {
    it(`are closed after ${title} that is rejected and does not stop sending`, async () => {
      const headers = { ...HEADERS, Authorization: authorization, 'Transfer-Encoding': 'chunked' };
      await connection.write(rawHead('/edge/metrics', headers));
      expect(await mebibytesAccepted(connection)).to.be.below(64);
    });
  }

  it('carry pipelined requests', async () => {
    await connection.write(Buffer.concat([declared(bodyOf()), declared('{'), declared(bodyOf())]));
    const statuses = [await connection.answer(), await connection.answer(), await connection.answer()];
    expect(statuses.map(({ status }) => status)).to.deep.equal([202, 400, 202]);
  });

  for (const { title, beginning } of CUT_SHORT) {
    it(`store nothing of ${title} that is cut short`, async () => {
      const before = await countMessages(world);
      await connection.write(beginning);
      await eventually(
        () => readGauge(ingest, BYTES_IN_FLIGHT),
        (bytes) => bytes > 0,
      );
      connection.cut();
      await eventually(
        () => readGauge(ingest, BYTES_IN_FLIGHT),
        (bytes) => bytes === 0,
      );
      expect(await countMessages(world)).to.equal(before);
    });
  }
});

function rawPost(headers: Readonly<Record<string, string | number>>, body: string | Uint8Array): Buffer {
  return Buffer.concat([
    Buffer.from(rawHead('/edge/metrics', { ...HEADERS, ...headers })),
    typeof body === 'string' ? Buffer.from(body) : body,
  ]);
}

function declared(body: string | Uint8Array, headers: Readonly<Record<string, string>> = {}): Buffer {
  return rawPost({ ...headers, 'Content-Length': Buffer.byteLength(body) }, body);
}

function chunked(body: Uint8Array, headers: Readonly<Record<string, string>> = {}): Buffer {
  return rawPost(
    { ...headers, 'Transfer-Encoding': 'chunked' },
    Buffer.concat([chunk(body), Buffer.from('0\r\n\r\n')]),
  );
}

function chunk(bytes: Uint8Array): Buffer {
  return Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n')]);
}

/** How many MiB a connection accepts before it is closed, at most 64. */
async function mebibytesAccepted(connection: RawConnection): Promise<number> {
  for (let accepted = 0; accepted < 64; accepted += 1) {
    try {
      await connection.write(chunk(LARGE));
    } catch {
      return accepted;
    }
  }
  return 64;
}
