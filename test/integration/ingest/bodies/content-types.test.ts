import { deflateSync, gzipSync } from 'node:zlib';
import { expect } from 'chai';
import { countMessages } from '../../../support/stack/engines/kafka/topics.ts';
import { aFreshMetric, bodyOf, post, problemOf } from '../../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const ACCEPTED_TYPES = [
  'application/json',
  'Application/JSON',
  'application/json; charset=utf-8',
  'application/json;charset=UTF-8',
  'application/json; charset="utf-8"',
  'application/json; charset=utf8',
  'application/json; profile=relay',
];

const REJECTED_TYPES = [
  '',
  'text/plain',
  'text/json',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/json-patch+json',
  'application/vnd.relay+json',
  'application/*',
  'text/plain, application/json',
  'application/json; charset=utf-16',
  'application/json; charset=iso-8859-1',
  'application/json; charset=us-ascii',
  'application/json; profile=relay; charset=latin1',
];

const REJECTED_ENCODINGS = ['br', 'zstd', 'compress', 'gzip, gzip', 'gzip, br', 'utf-8', 'nonsense'];

const BODY = bodyOf({ metrics: [aFreshMetric()] });

const ACCEPTED_ENCODINGS: readonly { encoding: string; body: string | Buffer<ArrayBuffer> }[] = [
  { encoding: 'identity', body: BODY },
  { encoding: 'gzip', body: gzipSync(BODY) },
  { encoding: 'GZIP', body: gzipSync(BODY) },
  { encoding: 'deflate', body: deflateSync(BODY) },
];

describe('the content type and encoding of a body', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const contentType of ACCEPTED_TYPES) {
    it(`may be ${contentType}`, async () => {
      expect((await post(ingest, { contentType })).status).to.equal(202);
    });
  }

  for (const contentType of REJECTED_TYPES) {
    it(`may not be ${contentType || 'missing'}`, async () => {
      const before = await countMessages(world);
      const answer = await post(ingest, { contentType, body: BODY });
      expect(answer.status).to.equal(415);
      expect(problemOf(answer).name).to.equal('ContentTypeerror');
      expect(await countMessages(world)).to.equal(before);
    });
  }

  for (const { encoding, body } of ACCEPTED_ENCODINGS) {
    it(`may be encoded as ${encoding}`, async () => {
      const before = await countMessages(world);
      const answer = await post(ingest, { body, headers: { 'content-encoding': encoding } });
      expect(answer.status).to.equal(202);
      expect(await countMessages(world)).to.equal(before + 1);
    });
  }

  for (const encoding of REJECTED_ENCODINGS) {
    it(`may not be encoded as ${encoding}`, async () => {
      const before = await countMessages(world);
      const answer = await post(ingest, { body: BODY, headers: { 'content-encoding': encoding } });
      expect(answer.status).to.equal(415);
      expect(problemOf(answer).name).to.equal('ContentTypeerror');
      expect(await countMessages(world)).to.equal(before);
    });
  }
});
