import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import type { AuditEntry } from '../../../../../services/admin/record/audit/schema.ts';
import { type Api, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import { eventually } from '../../../../support/eventually.ts';
import { itNightly } from '../../../../support/nightly.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';
import { collectLog } from '../../../../support/stack/processes/collected-log.ts';
import { sharedWorldWithoutTopics } from '../../../../support/uncounted-world.ts';

type Entry = Readonly<Record<string, unknown>> & {
  readonly sequence: string;
  readonly before: Readonly<Record<string, unknown>> | null;
  readonly after: Readonly<Record<string, unknown>> | null;
};

const FEATURES = '/api/admin/projects/default/features';

describe('the audit', () => {
  const world = sharedWorldWithoutTopics();
  let api: Api;
  const { log, lines } = collectLog();
  before(async () => {
    const { url } = await world.run((config) => startAdmin(config, log));
    api = await openApi(url);
  });

  async function entries(where = 'true'): Promise<Entry[]> {
    const { rows } = await world.db.query<Entry>(`select * from audit where ${where} order by sequence`);
    return rows;
  }

  async function list(query: string): Promise<readonly AuditEntry[]> {
    const { body } = await api.get(`/api/admin/audit?${query}`);
    return (body as { entries: AuditEntry[] }).entries;
  }

  /** The entries that this work adds, at least as many as asked for. */
  async function added(work: () => Promise<unknown>, atLeast = 1): Promise<Entry[]> {
    const [last] = (await entries()).slice(-1);
    await work();
    return eventually(
      () => entries(`sequence > ${last?.sequence ?? 0}`),
      ({ length }) => length >= atLeast,
    );
  }

  it('names user, token, address, operation, and what was before and after', async () => {
    const ana = await aUser(api, 'Editor', 'ana');
    const { body } = await api.get('/api/admin/user', ana);
    const { tokenId } = (body as { authentication: { tokenId: string } }).authentication;
    const who = {
      user_name: 'ana',
      user_id: ana.id,
      credential: 'personal',
      credential_id: tokenId,
      address: '127.0.0.1',
      outcome: 'done',
    };
    const [created] = await added(() => api.post(FEATURES, { name: 'basket', description: 'old' }, ana));
    expect(created).to.deep.include({
      ...who,
      operation: 'createFeature',
      event: 'feature-created',
      project: 'default',
      feature_name: 'basket',
    });
    const [updated] = await added(() => api.put(`${FEATURES}/basket`, { description: 'new' }, ana));
    expect(updated).to.deep.include({ ...who, operation: 'updateFeature', feature_name: 'basket' });
    expect(updated?.before).to.include({ description: 'old' });
    expect(updated?.after).to.include({ description: 'new' });
    expect(updated?.['parameters']).to.deep.equal({ projectId: 'default', featureName: 'basket' });
  });

  it('is read by Admins, in pages and chosen by user, operation, outcome, project and time', async () => {
    const zoe = await aUser(api, 'Editor', 'zoe');
    await api.post(FEATURES, { name: 'first' }, zoe);
    await api.post(FEATURES, { name: 'second' }, zoe);
    await api.post(FEATURES, { name: 'second' }, zoe);
    const creations = `userId=${zoe.id}&operation=createFeature`;
    const ofZoe = await eventually(
      () => list(creations),
      ({ length }) => length === 3,
    );
    expect(ofZoe.map(({ featureName, status }) => featureName ?? status)).to.deep.equal([
      409,
      'second',
      'first',
    ]);
    const [refused, second, first] = ofZoe;
    const [stored] = await entries(`user_name = 'zoe' and feature_name = 'second'`);
    expect(second).to.deep.include({ sequence: Number(stored?.sequence), after: stored?.after });

    expect(await list(`${creations}&limit=1`)).to.deep.equal([refused]);
    expect(await list(`${creations}&before=${second?.sequence}`)).to.deep.equal([first]);
    expect(await list(`${creations}&outcome=refused`)).to.deep.equal([refused]);
    expect(await list(`${creations}&project=default`)).to.deep.equal([second, first]);
    expect(await list(`${creations}&since=${first?.at}`)).to.deep.equal(ofZoe);
    expect(await list(`${creations}&until=${first?.at}`)).to.deep.equal([]);
    const [denied] = await added(() => api.get('/api/admin/audit', zoe));
    expect(denied).to.include({ operation: 'listAuditEntries', status: 403, user_id: zoe.id });
  });

  it('has changes that write no event', async () => {
    const feedback = { category: 'search', positive: 'fast' };
    const [given] = await added(() => api.post('/api/admin/feedback', feedback));
    expect(given).to.include({ operation: 'createFeedback', event: 'feedback-created', credential: 'admin' });
    expect(given?.after).to.include(feedback);
    const push = {
      repository: 'shop',
      branch: 'main',
      commit: 'c'.repeat(40),
      committedAt: '2026-01-01T00:00:00Z',
      references: [],
    };
    const [pushed] = await added(() => api.post('/api/admin/code-references', push));
    expect(pushed).to.include({ event: 'code-references-pushed' });
  });

  it('has refused changes and callers with status and reason, and no secret', async () => {
    const vera = await aUser(api, 'Viewer', 'vera');
    const [forbidden] = await added(() => api.post(FEATURES, { name: 'x' }, vera));
    expect(forbidden).to.include({
      outcome: 'refused',
      operation: 'createFeature',
      status: 403,
      user_id: vera.id,
      credential: 'valid',
      address: '127.0.0.1',
    });
    const [conflicting] = await added(async () => {
      await api.post(FEATURES, { name: 'twice' });
      await api.post(FEATURES, { name: 'twice' });
    }, 2).then((both) => both.filter(({ outcome }) => outcome === 'refused'));
    expect(conflicting).to.include({ status: 409, operation: 'createFeature' });
    const [stranger] = await added(() => api.get(FEATURES, { token: '*:*.invented-by-a-stranger-1' }));
    expect(stranger).to.include({ status: 401, credential: 'unknown', credential_id: null });
    const { rows } = await world.db.query<{ text: string }>(
      'select content::text as text from audit_entries',
    );
    const text = rows.map((row) => row.text).join('\n');
    expect(text).not.to.include('invented').and.not.include(vera.token);
  });

  it('does not have reads', async () => {
    const before = await entries();
    await api.get(FEATURES);
    await api.get('/api/admin/api-tokens');
    expect(await entries()).to.deep.equal(before);
  });

  it('has no entry of a change that was rolled back', async () => {
    const [entry, ...others] = await added(() =>
      api.post('/api/admin/projects', { id: 'default', name: 'D' }),
    );
    expect(entry).to.include({ outcome: 'refused', operation: 'createProject' });
    expect(others).to.deep.equal([]);
  });

  it('names the command and the account that ran it', async () => {
    const [created] = await added(() =>
      callCli(world, 'token', 'create', '--name', 'edge', '--type', 'client', '--environment', 'production'),
    );
    expect(created).to.include({ operation: 'flagmeter token create', user_name: 'system', address: null });
    expect(created?.['parameters']).to.have.keys('account', 'machine');
    const id = String(created?.after?.['id']);
    const [revoked] = await added(() => callCli(world, 'token', 'revoke', id));
    expect(revoked).to.include({ operation: 'flagmeter token revoke', event: 'api-token-deleted' });
  });

  it('is in the log, each entry once and without the values', async () => {
    const [entry] = await added(() => api.post(FEATURES, { name: 'logged', description: 'of somebody' }));
    const sequence = Number(entry?.sequence);
    const audited = () => lines().filter(({ msg }) => msg === 'audit');
    const logged = await eventually(
      () => Promise.resolve(audited()),
      (found) => found.some((line) => line['sequence'] === sequence),
    );
    expect(logged.map((line) => line['sequence'])).to.deep.equal(
      Array.from({ length: sequence }, (_, index) => index + 1),
    );
    expect(logged.at(-1)).to.include({ operation: 'createFeature', hash: entry?.['hash'] });
    expect(JSON.stringify(logged)).not.to.include('of somebody');
  });

  it('is bounded, however many requests are refused, and says how many it left out, at the end of the service at the latest', async () => {
    const service = await world.run(startAdmin);
    const stopped = await openApi(service.url);
    const [last] = (await entries()).slice(-1);
    const requests = 120;
    for (let count = 0; count < requests; count += 1)
      await stopped.get(FEATURES, { token: `*:*.invented-by-a-stranger-${count}` });
    await service.stop();

    const added = await entries(`sequence > ${last?.sequence ?? 0}`);
    const summedUp = added.filter(({ operation }) => operation === 'several');
    const leftOut = summedUp.map(({ reason }) =>
      Number(/^(\d+) more rejections were not recorded$/.exec(String(reason))?.[1]),
    );
    expect(summedUp).to.have.length.of.at.least(1);
    expect(leftOut.reduce((sum, count) => sum + count, added.length - summedUp.length)).to.equal(requests);
    expect(added.length).to.be.lessThan(60);
  });

  itNightly('says how many refusals it left out once their minute is over', async () => {
    const [last] = (await entries()).slice(-1);
    for (let count = 0; count < 30; count += 1)
      await api.get(FEATURES, { token: `*:*.invented-by-another-stranger-${count}` });
    const summedUp = await eventually(
      () => entries(`sequence > ${last?.sequence ?? 0} and operation = 'several'`),
      ({ length }) => length > 0,
      90_000,
    );
    expect(summedUp[0]?.['reason']).to.match(/^\d+ more rejections were not recorded$/);
  });
});
