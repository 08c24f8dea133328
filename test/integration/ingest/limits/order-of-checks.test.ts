import { expect } from 'chai';
import { type Post, post } from '../../../support/requests/post.ts';
import { openRawConnection, rawHead } from '../../../support/requests/raw-http.ts';
import { sharedUncountedWorld } from '../../../support/uncounted-world.ts';
import { CLIENT_TOKEN, FRONTEND_TOKEN } from '../../../support/world.ts';
import { sharedIngest } from '../../../support/stories/counting.ts';

const STRANGER = '*:production.nobody-knows-this-secret';
const OVERSIZED = ' '.repeat(102_401);

/** Each request has two mistakes. The earlier check answers. */
const REQUESTS: readonly { title: string; status: number; request: Partial<Post> }[] = [
  {
    title: 'a stranger at a path that does not exist',
    status: 404,
    request: { authorization: STRANGER, path: '/nothing' },
  },
  {
    title: 'a stranger with a wrong method',
    status: 405,
    request: { authorization: STRANGER, method: 'PUT' },
  },
  {
    title: "a stranger's oversized body",
    status: 401,
    request: { authorization: STRANGER, body: OVERSIZED },
  },
  { title: "a stranger's malformed body", status: 401, request: { authorization: STRANGER, body: '{' } },
  {
    title: "a stranger's text",
    status: 401,
    request: { authorization: STRANGER, contentType: 'text/plain' },
  },
  {
    title: "a stranger's unknown encoding",
    status: 401,
    request: { authorization: STRANGER, headers: { 'content-encoding': 'zstd' } },
  },
  {
    title: 'an oversized body without a token',
    status: 401,
    request: { authorization: '', body: OVERSIZED },
  },
  {
    title: 'an oversized body with a token of the wrong type',
    status: 403,
    request: { authorization: FRONTEND_TOKEN, body: OVERSIZED },
  },
  { title: 'an oversized text', status: 415, request: { contentType: 'text/plain', body: OVERSIZED } },
  {
    title: 'an oversized body of unknown encoding',
    status: 415,
    request: { headers: { 'content-encoding': 'zstd' }, body: OVERSIZED },
  },
  { title: 'an oversized malformed body', status: 413, request: { body: OVERSIZED } },
];

const JSON_TYPE = { 'Content-Type': 'application/json' };

/** Requests that ingest can answer from the head alone, before the body arrives. */
const HEADS = [
  { title: 'no token', status: 401, headers: { ...JSON_TYPE, 'Content-Length': 50 } },
  {
    title: 'an unknown token',
    status: 401,
    headers: { ...JSON_TYPE, 'Content-Length': 50, Authorization: STRANGER },
  },
  {
    title: 'a token of the wrong type',
    status: 403,
    headers: { ...JSON_TYPE, 'Content-Length': 50, Authorization: FRONTEND_TOKEN },
  },
  {
    title: 'a wrong content type',
    status: 415,
    headers: { 'Content-Type': 'text/plain', 'Content-Length': 50, Authorization: CLIENT_TOKEN },
  },
  {
    title: 'a declared length over the limit',
    status: 413,
    headers: { ...JSON_TYPE, 'Content-Length': 102_401, Authorization: CLIENT_TOKEN },
  },
] as const;

describe('the order of checks of ingest', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const { title, status, request } of REQUESTS) {
    it(`answers ${title} with ${status}`, async () => {
      const answer = await post(ingest, request);
      expect(answer.status).to.equal(status);
    });
  }

  for (const { title, status, headers } of HEADS) {
    it(`answers ${title} with ${status} without waiting for the body`, async () => {
      const connection = await openRawConnection(ingest.url);
      await connection.write(rawHead('/edge/metrics', headers));
      const answer = await connection.answer();
      connection.cut();
      expect(answer.status).to.equal(status);
    });
  }
});
