import { expect } from 'chai';
import { type Post, post, problemOf } from '../../support/requests/post.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';
import { FRONTEND_TOKEN } from '../../support/world.ts';
import { sharedIngest } from '../../support/stories/counting.ts';

const PATHS = [
  '/edge/metrics',
  '/edge/metrics/',
  '/api/client/metrics/bulk',
  '/api/client/metrics/bulk/',
] as const;

/** Which request gets which status and name (docs/use/senders/contract.md#errors). */
const PROBLEMS: readonly { status: number; name: string; request: Partial<Post> }[] = [
  { status: 400, name: 'ValidationError', request: { body: '{}' } },
  { status: 401, name: 'AuthenticationRequired', request: { authorization: '' } },
  { status: 403, name: 'NoAccessError', request: { authorization: FRONTEND_TOKEN } },
  { status: 404, name: 'NotFoundError', request: { path: '/edge/nothing' } },
  { status: 405, name: 'MethodNotAllowed', request: { method: 'PUT' } },
  { status: 413, name: 'ContentTooLarge', request: { body: ' '.repeat(102_401) } },
  { status: 415, name: 'ContentTypeerror', request: { contentType: 'text/plain' } },
];

describe('the contract of ingest', () => {
  const world = sharedUncountedWorld();
  const ingest = sharedIngest(world);

  for (const path of PATHS) {
    it(`accepts a batch at ${path} with 202 and no body`, async () => {
      const answer = await post(ingest, { path });
      expect(answer.status).to.equal(202);
      expect(answer.text).to.equal('');
      expect(answer.headers.get('content-type')).to.equal(null);
      expect(answer.headers.get('content-length')).to.equal('0');
    });
  }

  for (const { status, name, request } of PROBLEMS) {
    it(`answers ${status} with an error body named ${name}`, async () => {
      const answer = await post(ingest, request);
      const problem = problemOf(answer);
      expect(answer.status).to.equal(status);
      expect(answer.headers.get('content-type')).to.match(/^application\/json(;|$)/);
      expect(problem.name).to.equal(name);
      expect(problem.message).to.be.a('string').that.matches(/\S/);
      expect(problem.id).to.match(/^[\da-f-]{36}$/);
    });
  }

  for (const { status, request } of PROBLEMS.filter((problem) => problem.status !== 400)) {
    it(`puts nothing else into the body of a ${status}`, async () => {
      const problem = problemOf(await post(ingest, request));
      expect(problem).to.have.all.keys('id', 'name', 'message');
    });
  }

  it('lists the problems of a body in the details of a 400', async () => {
    const { details } = problemOf(await post(ingest, { body: '{"applications":[],"metrics":3}' }));
    expect(details).to.deep.equal([{ path: '/metrics', message: 'must be array, is number' }]);
  });

  it('gives each error its own id', async () => {
    const first = problemOf(await post(ingest, { body: '{}' }));
    const second = problemOf(await post(ingest, { body: '{}' }));
    expect(first.id).not.to.equal(second.id);
  });

  for (const method of ['GET', 'PUT', 'PATCH', 'DELETE', 'OPTIONS', 'PROPFIND']) {
    it(`rejects ${method} with 405 and names the allowed method`, async () => {
      const answer = await post(ingest, { method });
      expect(answer.status).to.equal(405);
      expect(answer.headers.get('allow')).to.equal('POST');
      expect(problemOf(answer).name).to.equal('MethodNotAllowed');
    });
  }

  for (const path of ['/edge', '/edge/metrics/more', '/api/client', '/edge/metrics%00']) {
    it(`answers 404 at ${path}`, async () => {
      const answer = await post(ingest, { path });
      expect(answer.status).to.equal(404);
      expect(problemOf(answer).name).to.equal('NotFoundError');
    });
  }

  it('answers 404 to an unusual method at an unknown path', async () => {
    const answer = await post(ingest, { method: 'PROPFIND', path: '/edge/nothing' });
    expect(answer.status).to.equal(404);
    expect(problemOf(answer).name).to.equal('NotFoundError');
  });

  it('ignores a query', async () => {
    const answer = await post(ingest, { path: '/edge/metrics?from=relay' });
    expect(answer.status).to.equal(202);
  });
});
