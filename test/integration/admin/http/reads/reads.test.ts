import { gunzipSync } from 'node:zlib';
import { expect } from 'chai';
import { aFeature, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import { ask, openAnswer } from '../../../../support/requests/ask.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

const FEATURES = '/api/admin/projects/default/features';
const PROJECTS = '/api/admin/projects';
const FEEDBACK = '/api/admin/feedback';
const GZIP = { 'accept-encoding': 'gzip, deflate, br' };
const LONG_TEXT = '€'.repeat(10_000);
/** More bytes than a list may have to be read before its answer begins. */
const LONG_ROWS = 200;

describe('reads of the admin API', () => {
  const world = sharedAdminWorld();
  before(async () => {
    for (let index = 0; index < 20; index += 1) await aFeature(world.api, `feature-${index}`);
    await world.db.query(
      `insert into feedback (category, positive) select 'search', $1 from generate_series(1, ${LONG_ROWS})`,
      [LONG_TEXT],
    );
  });

  const read = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
    ask(`${world.api.url}${path}`, { method, headers: { authorization: ADMIN_TOKEN, ...headers } });

  it('have an ETag, and 304 as long as nothing changes', async () => {
    const first = await read(FEATURES);
    const etag = first.headers.etag ?? '';
    expect(etag).to.match(/^W\/"[\w-]{27}"$/);
    for (const ifNoneMatch of [etag, etag.slice(2), `"other", ${etag}`, '*']) {
      const again = await read(FEATURES, { 'if-none-match': ifNoneMatch });
      expect(again.status, ifNoneMatch).to.equal(304);
      expect(again.body).to.have.length(0);
      expect(again.headers).to.include({ etag, 'cache-control': 'private, no-cache' });
      expect(again.headers.vary).to.equal(first.headers.vary);
      expect(again.headers).not.to.have.property('content-type');
    }
    expect((await read(FEATURES, { 'if-none-match': '"other"' })).status).to.equal(200);
    await aFeature(world.api, 'one-more');
    const changed = await read(FEATURES, { 'if-none-match': etag });
    expect(changed.status).to.equal(200);
    expect(changed.headers.etag).not.to.equal(etag);
  });

  it('have the same ETag with HEAD, compressed or not', async () => {
    const etags = [await read(FEATURES), await read(FEATURES, GZIP), await read(FEATURES, {}, 'HEAD')];
    expect(new Set(etags.map(({ headers }) => headers.etag)).size).to.equal(1);
  });

  it('have no 304 for a caller without permission, for errors and for changes', async () => {
    const { headers } = await read(FEATURES);
    const known = { 'if-none-match': headers.etag ?? '' };
    expect((await read(FEATURES, { ...known, authorization: 'user:nobody' })).status).to.equal(401);
    expect((await read(`${FEATURES}/nothing`, { 'if-none-match': '*' })).status).to.equal(404);
    const favourite = `${FEATURES}/feature-1/favorites`;
    expect((await read(favourite, { 'if-none-match': '*' }, 'POST')).status).to.equal(400);
  });

  it('of more than one kilobyte are compressed for clients that accept gzip', async () => {
    const plain = await read(FEATURES);
    const zipped = await read(FEATURES, GZIP);
    expect(plain.headers).not.to.have.property('content-encoding');
    expect(zipped.headers).to.include({
      'content-encoding': 'gzip',
      vary: 'Accept-Encoding, Authorization, Cookie',
    });
    expect(Number(zipped.headers['content-length'])).to.equal(zipped.body.length);
    expect(zipped.body.length).to.be.lessThan(plain.body.length / 2);
    expect(gunzipSync(zipped.body).equals(plain.body)).to.equal(true);
    for (const encoding of ['identity', 'gzip;q=0', 'deflate'])
      expect((await read(FEATURES, { 'accept-encoding': encoding })).headers).not.to.have.property(
        'content-encoding',
      );
  });

  it('of fewer bytes, errors and new secrets are not compressed', async () => {
    const { api } = world;
    const token = { tokenName: 'x'.repeat(100), type: 'client', environment: 'production' };
    const headers = { authorization: ADMIN_TOKEN, 'content-type': 'application/json', ...GZIP };
    const answers = [
      await read(PROJECTS, GZIP),
      await read(`/api/admin/events?${'x'.repeat(2000)}=1`, GZIP),
      await ask(`${api.url}/api/admin/api-tokens`, { method: 'POST', headers, body: JSON.stringify(token) }),
    ];
    expect(answers.map(({ status }) => status)).to.deep.equal([200, 400, 201]);
    for (const answer of answers) expect(answer.headers).not.to.have.property('content-encoding');
  });

  it('of long lists are compressed while they are read, and have no ETag', async () => {
    const zipped = await read(FEEDBACK, GZIP);
    expect(zipped.headers).to.include({ 'content-encoding': 'gzip', 'transfer-encoding': 'chunked' });
    expect(zipped.headers).not.to.have.property('etag');
    expect(JSON.parse(gunzipSync(zipped.body).toString())).to.deep.equal(
      (await world.api.get(FEEDBACK)).body,
    );
  });

  it('end when their reader leaves, so that later ones are compressed too', async () => {
    const open = () =>
      openAnswer(`${world.api.url}${FEEDBACK}`, { headers: { authorization: ADMIN_TOKEN, ...GZIP } });
    for (let round = 0; round < 5; round += 1) {
      // A caller may read eight lists at a time, so every list of the round before must be over.
      const answers = await eventually(
        async () => {
          const opened = await Promise.all(Array.from({ length: 8 }, open));
          const isComplete = opened.every(({ statusCode }) => statusCode === 200);
          if (!isComplete) for (const answer of opened) answer.destroy();
          return isComplete ? opened : [];
        },
        (opened) => opened.length === 8,
      );
      const encodings = answers.map(({ headers }) => headers['content-encoding']);
      expect(encodings, String(round)).to.deep.equal(Array(8).fill('gzip'));
      for (const answer of answers) answer.destroy();
    }
  });
});
