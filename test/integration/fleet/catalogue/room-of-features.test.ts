import { expect } from 'chai';
import { registerFeatures, syncFeatures } from '#fleet/catalogue';
import { createBlocks } from '#core/clickhouse';
import { MAX_REGISTERED_FEATURES } from '#core/counting';
import { type AdminWorld, createCountedAdminWorld } from '../../../support/admin-api/admin.ts';
import { aBlock } from '../../../support/stack/engines/clickhouse/stored-blocks.ts';
import { aFreshMetric } from '../../../support/requests/post.ts';

const LIMITS = { each: 3, all: 6 };
const PATH = '/api/admin/projects/default/features';

describe('the room for features of other flag systems', () => {
  let world: AdminWorld;
  let from = 0n;
  beforeEach(async () => {
    world = await createCountedAdminWorld();
  });
  afterEach(() => world.dispose());

  it('is a quarter of all for one token', () => {
    expect(MAX_REGISTERED_FEATURES).to.deep.equal({ each: 1250, all: 5000 });
  });

  it('leaves places for others, whatever one token sends, and says why a name is unknown', async () => {
    await evaluate('greedy', ['a', 'b', 'c', 'd', 'e']);
    await register();
    expect(await registered()).to.deep.equal({ a: 'greedy', b: 'greedy', c: 'greedy' });
    await evaluate('honest', ['e', 'one']);
    await register();
    expect(await registered()).to.include({ e: 'honest', one: 'honest' });
  });

  it('is made by the token with the most features if all places are taken', async () => {
    const limits = { each: 6, all: 6 };
    await evaluate('greedy', ['a', 'b', 'c', 'd', 'e', 'f', 'g']);
    await register(limits);
    await evaluate('honest', ['1', '2', '3', '4']);
    await register(limits);
    await register(limits);
    const tokens = Object.values(await registered()).sort();
    expect(tokens).to.deep.equal(['greedy', 'greedy', 'greedy', 'honest', 'honest', 'honest']);
  });

  it('is made by what was silent for longest, unless somebody has written about it', async () => {
    await evaluate('one', ['a', 'b', 'c']);
    await register();
    expect((await world.api.put(`${PATH}/a`, { owner: 'Search team' })).status).to.equal(200);
    await world.db.query(
      `update features set created_at = now() - interval '3 days' where name in ('a', 'b', 'c')`,
    );
    await world.db.query(`update feature_last_seen set last_seen_at = now() where feature_name = 'c'`);
    await evaluate('one', ['d', 'e']);
    await register();
    expect(Object.keys(await registered())).to.deep.equal(['a', 'c', 'd']);
    expect(await eventsOf('b')).to.deep.equal([
      'feature-registered by token one',
      'feature-forgotten by system',
    ]);
  });

  it('is free again when a feature is archived, and stays so', async () => {
    await evaluate('one', ['a', 'b', 'c', 'd']);
    await register();
    expect((await world.api.delete('/api/admin/archive/a')).status).to.equal(200);
    await register();
    await register();
    expect(Object.keys(await registered())).to.deep.equal(['b', 'c', 'd']);
  });

  it('names who registered a feature', async () => {
    const { body } = await world.api.post('/api/admin/api-tokens', {
      tokenName: 'collector',
      type: 'client',
      environment: 'development',
      projects: ['*'],
    });
    const { rows } = await world.db.query<{ id: string }>('select id from api_tokens where token_name = $1', [
      'collector',
    ]);
    expect(body).to.include({ tokenName: 'collector' });
    await evaluate(rows[0]?.id ?? '', ['theirs']);
    await register();
    const { body: events } = await world.api.get('/api/admin/events/theirs');
    const [event] = (events as { events: object[] }).events;
    expect(event).to.include({ type: 'feature-registered', createdBy: 'collector', featureName: 'theirs' });
    expect(event).to.have.property('token').that.includes({ id: rows[0]?.id });
  });

  it('takes no name that the admin API would not accept, and says so', async () => {
    const invalid = ['a name', 'ümlaut', 'a/b', '..', '<script>', 'x'.repeat(101)];
    await evaluate('one', [...invalid, 'valid']);
    await register();
    expect(await registered()).to.deep.equal({ valid: 'one' });
    expect(await unknownFlags()).to.deep.equal(
      Object.fromEntries(invalid.map((name) => [name, 'invalid_name'])),
    );
    const found = await world.api.get('/api/admin/search/unknown-flags?search=script');
    expect((found.body as { items: unknown[] }).items).to.have.length(1);
    expect((found.body as { items: unknown[] }).items[0]).to.include({ reason: 'invalid_name' });
  });

  it('keeps no name from people: whoever creates the feature owns it', async () => {
    await evaluate('one', ['a', 'b', 'archived']);
    await register();
    expect((await world.api.delete('/api/admin/archive/archived')).status).to.equal(200);
    for (const name of ['a', 'archived']) {
      const created = await world.api.post(PATH, { name, description: 'ours' });
      expect(created.status, name).to.equal(201);
      expect(created.body).to.include({
        source: 'flagmeter',
        provider: null,
        description: 'ours',
        archived: false,
      });
    }
    await register();
    expect(await registered()).to.deep.equal({ b: 'one' });
    expect((await world.api.post(`${PATH}/a/environments/production/on`)).status).to.equal(200);
    expect((await world.api.put(`${PATH}/b`, { owner: 'Search team' })).status).to.equal(200);
    expect((await world.api.post(PATH, { name: 'b' })).status).to.equal(409);
  });

  async function evaluate(tokenId: string, names: readonly string[]): Promise<void> {
    for (const featureName of names) {
      const metrics = [aFreshMetric({ featureName, yes: 1 })];
      const reasons = [{ reason: 'static', provider: 'flagd' }];
      await createBlocks(world.clickhouse).insert(aBlock({ metrics, reasons, tokenId, from }));
      from += 1n;
    }
  }

  async function register(limits = LIMITS): Promise<void> {
    await registerFeatures(world.db, world.clickhouse, limits);
    await syncFeatures(world.db, world.clickhouse);
  }

  /** The token of each feature that takes a place. */
  async function registered(): Promise<Record<string, string>> {
    const { rows } = await world.db.query<{ name: string; token: string }>(
      `select name, registered_by as token
       from features
       where source = 'opentelemetry'
         and archived_at is null
       order by name`,
    );
    return Object.fromEntries(rows.map(({ name, token }) => [name, token]));
  }

  async function unknownFlags(): Promise<Record<string, unknown>> {
    const { body } = await world.api.get('/api/admin/metrics/unknown-flags');
    const { unknownFlags: flags } = body as { unknownFlags: { name: string; reason: unknown }[] };
    return Object.fromEntries(flags.map(({ name, reason }) => [name, reason]));
  }

  async function eventsOf(name: string): Promise<string[]> {
    const { rows } = await world.db.query<{ type: string; by: string }>(
      'select type, created_by as by from events where feature_name = $1 order by id',
      [name],
    );
    return rows.map(({ type, by }) => `${type} by ${by}`);
  }
});
