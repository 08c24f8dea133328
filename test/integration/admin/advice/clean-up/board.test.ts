import { expect } from 'chai';
import type { CleanUp } from '../../../../../services/admin/advice/clean-ups/schema.ts';
import { observeCleanUps } from '../../../../../services/admin/advice/clean-ups/store/observe.ts';
import {
  type Finding,
  recordFindings,
} from '../../../../../services/admin/advice/verdicts/store/record-findings.ts';
import { aFeature, aUser, sharedAdminWorld, eventTypesOf } from '../../../../support/admin-api/admin.ts';

const PATH = '/api/admin/clean-ups';
const HOUR_MS = 3_600_000;

describe('the board of the clean-up', () => {
  const world = sharedAdminWorld();
  beforeEach(async () => {
    await world.db.query('truncate verdicts, clean_ups, notification_subscriptions cascade');
    await world.db.query('truncate features cascade');
    await aFeature(world.api, 'old');
    await aFeature(world.api, 'busy');
    await evaluated('busy', 1);
    await evaluated('old', 2);
  });

  async function evaluated(feature: string, hoursAgo: number): Promise<void> {
    await world.db.query(
      `insert into feature_last_seen (feature_name, environment, last_seen_at)
       values ($1, 'production', $2), ($1, '', $2)
       on conflict (feature_name, environment) do update set last_seen_at = excluded.last_seen_at`,
      [feature, new Date(Date.now() - hoursAgo * HOUR_MS)],
    );
  }

  async function find(...subjects: string[]): Promise<void> {
    const found = subjects.map((subject): Finding => ({
      subjectType: 'feature',
      subject,
      environment: 'production',
      verdict: 'always_on',
      sentence: 'Each of its 2000 evaluations was enabled.',
      since: '2026-10-22T00:00:00.000Z',
      evaluations: 2000,
    }));
    const kinds = { subjectTypes: ['feature'], verdicts: ['always_on'] } as const;
    await recordFindings(world.db, { ...kinds, found, isComplete: true });
  }

  async function cards(query = ''): Promise<CleanUp[]> {
    await observeCleanUps(world.db);
    return ((await world.api.get(`${PATH}${query}`)).body as { cleanUps: CleanUp[] }).cleanUps;
  }

  async function stage(): Promise<string | undefined> {
    return (await cards()).find(({ featureName }) => featureName === 'old')?.stage;
  }

  async function move(body: object): Promise<number> {
    return (await world.api.put(`${PATH}/old`, body)).status;
  }

  async function archiveRequest(): Promise<string> {
    const path = '/api/admin/projects/default';
    const { body, headers } = await world.api.post(`${path}/environments/production/change-requests`, {
      title: 'Archive old',
      changes: [{ feature: 'old', action: 'archiveFeature' }],
    });
    const request = `${path}/change-requests/${(body as { id: number }).id}`;
    const version = { 'if-match': headers.get('etag') ?? '' };
    const sent = await world.api.put(`${request}/state`, { state: 'In review' }, { headers: version });
    expect(sent.status, JSON.stringify(sent.body)).to.equal(200);
    return request;
  }

  it('has the flags that verdicts find, with their evidence, until the verdicts end', async () => {
    await find('old', 'nobody-created-this');
    const [card, ...others] = await cards();
    expect(others).to.deep.equal([]);
    expect(card).to.deep.include({ featureName: 'old', project: 'default', stage: 'found', movedBy: null });
    expect(card?.verdicts).to.deep.equal([
      {
        verdict: 'always_on',
        environment: 'production',
        sentence: 'Each of its 2000 evaluations was enabled.',
      },
    ]);
    await world.db.query('update verdicts set ended_at = now()');
    expect(await cards()).to.deep.equal([]);
  });

  it('shows who was told, also by a summary, and who has acknowledged a verdict', async () => {
    await find('old');
    const { rows } = await world.db.query<{ id: number }>(
      `insert into notification_subscriptions (name, channel, host, sealed_url, sealed_secret, seal_id, causes, created_by)
       values ('team', 'webhook', '', '', '', gen_random_uuid(), '{}', 'test') returning id`,
    );
    const told = [rows[0]?.id, JSON.stringify({ featureName: 'old', verdict: 'always_on' })];
    await world.db.query(
      `insert into notification_deliveries (subscription_id, type, data, state, gathered_in)
       values ($1, 'verdict.appeared', $2, 'gathered', '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11')`,
      told,
    );
    expect(await stage()).to.equal('found');
    await world.db.query(
      `insert into notification_deliveries (id, subscription_id, type, data, state, delivered_at)
       values ('6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11', $1, 'summary', '{}', 'delivered', '2026-11-21T10:15:00Z')`,
      [rows[0]?.id],
    );
    expect((await cards())[0]).to.deep.include({
      stage: 'told',
      told: { to: 'team', at: '2026-11-21T10:15:00.000Z' },
    });

    await world.db.query('truncate clean_ups, notification_subscriptions cascade');
    const recorded = (await world.api.get('/api/admin/verdicts')).body as { verdicts: { id: number }[] };
    await world.api.put(`/api/admin/verdicts/${recorded.verdicts[0]?.id ?? 0}/acknowledgement`, {
      reason: 'It stays.',
    });
    expect((await cards())[0]?.told?.to).to.equal('initial admin');
  });

  it('follows a change request that archives the flag, until it is applied', async () => {
    await find('old');
    await cards();
    const request = await archiveRequest();
    expect((await cards())[0]).to.deep.include({
      stage: 'removal',
      changeRequestId: Number(request.split('/').at(-1)),
      movedBy: null,
    });
    expect((await world.api.delete('/api/admin/archive/old')).status).to.equal(200);
    expect(await stage()).to.equal('archived');
    expect(await move({ stage: 'found' })).to.equal(409);
    await world.api.post('/api/admin/archive/revive/old');
    expect(await stage()).to.equal('removal');
    const cancelled = await world.api.put(`${request}/state`, { state: 'Cancelled' });
    expect(cancelled.status, JSON.stringify(cancelled.body)).to.equal(200);
    expect((await cards())[0]).to.deep.include({ stage: 'found', changeRequestId: null });
  });

  it('says that a flag is gone after a day without evaluations, only while others are counted', async () => {
    await find('old');
    await cards();
    expect(await move({ stage: 'removal', url: 'https://git.example.org/pull/17' })).to.equal(200);
    expect((await cards())[0]).to.deep.include({ stage: 'removal', movedBy: 'initial admin' });
    await evaluated('old', 24);
    expect(await stage(), '23 hours').to.equal('removal');
    await evaluated('old', 30);
    await evaluated('busy', 29);
    expect(await stage(), 'nothing is counted').to.equal('removal');
    await evaluated('busy', 1);
    expect((await cards())[0]).to.deep.include({
      stage: 'gone',
      movedBy: null,
      url: 'https://git.example.org/pull/17',
    });
    // An hour that begins after it was gone.
    await evaluated('old', -1);
    expect(await stage()).to.equal('removal');
    const types = await eventTypesOf(world.api, 'old');
    expect(types.slice(types.lastIndexOf('feature-created') + 1)).to.deep.equal([
      'clean-up-moved',
      'clean-up-moved',
      'clean-up-moved',
    ]);
  });

  it('leaves a flag where somebody has moved it back', async () => {
    await find('old');
    await cards();
    await move({ stage: 'told' });
    expect((await cards())[0]?.told?.to).to.equal('initial admin');
    await move({ stage: 'removal' });
    await evaluated('old', 48);
    expect(await stage()).to.equal('gone');
    await move({ stage: 'removal' });
    expect(await stage()).to.equal('removal');
    await move({ stage: 'found' });
    expect((await cards())[0]).to.deep.include({ stage: 'found', told: null });
  });

  it('moves a flag on although the clock was a day ahead when somebody moved it back', async () => {
    await find('old');
    await cards();
    await move({ stage: 'removal' });
    await move({ stage: 'found' });
    await world.db.query(
      `update clean_ups set since = since + interval '1 day', held_at = held_at + interval '1 day'`,
    );
    expect(await stage()).to.equal('found');
    await archiveRequest();
    expect(await stage()).to.equal('removal');
  });

  it('is moved by Editors, with addresses that a browser may open', async () => {
    await find('old');
    await cards();
    const viewer = await aUser(world.api, 'Viewer', `vic-${Date.now()}`);
    const editor = await aUser(world.api, 'Editor', `eve-${Date.now()}`);
    const body = { stage: 'removal' };
    expect((await world.api.put(`${PATH}/old`, body, { token: viewer.token })).status).to.equal(403);
    expect((await world.api.put(`${PATH}/old`, body, { token: editor.token })).status).to.equal(200);
    expect(await move({ stage: 'removal', url: 'javascript:alert(1)' })).to.equal(400);
    expect(await move({ stage: 'archived' })).to.equal(400);
    expect((await world.api.put(`${PATH}/busy`, body)).status).to.equal(404);
  });

  it('can be filtered', async () => {
    await find('old', 'busy');
    await cards();
    await move({ stage: 'removal' });
    const names = async (query: string) => (await cards(query)).map(({ featureName }) => featureName);
    expect(await names('?stage=removal')).to.deep.equal(['old']);
    expect(await names('?project=another')).to.deep.equal([]);
    expect(await names('?feature=busy')).to.deep.equal(['busy']);
    expect(await names('?limit=1')).to.deep.equal(['old']);
  });
});
