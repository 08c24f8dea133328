import { expect } from 'chai';
import { FlagmeterError, readConfig } from '#base/runtime';
import { eventually } from '../../support/eventually.ts';
import { redisBusOf } from '../../support/stack/bus/redis-bus.ts';
import { callCli, rowsOf } from '../../support/stack/processes/cli-in-process.ts';
import { collectLog } from '../../support/stack/processes/collected-log.ts';
import { sharedUncountedWorld } from '../../support/uncounted-world.ts';

describe('flagmeter token', () => {
  const world = sharedUncountedWorld();

  it('creates a token, shows its secret once, lists it with its limit, and revokes it once', async () => {
    const { secret, id } = await create('--environment', 'production', '--rate-limit', '600');
    expect(secret).to.match(/^\*:production\.\w{32,}$/);
    const { output } = await callCli(world, 'token', 'list');
    expect(output).to.include(id).and.not.include(secret);
    expect(await find(id)).to.include({ name: 'edge', type: 'client', 'per minute': '600', revoked: '' });

    await callCli(world, 'token', 'revoke', id);
    expect((await find(id))?.['revoked']).to.match(/^\d{4}-/);
    const again = await callCli(world, 'token', 'revoke', id).catch((error: unknown) => error);
    expect(again).to.be.instanceOf(FlagmeterError).with.property('code', 'not-found');
  });

  it('writes the same events as the API, in the name of flagmeter', async () => {
    const { id } = await create('--environment', 'production');
    await callCli(world, 'token', 'revoke', id);

    const { rows } = await world.db.query<Record<string, unknown>>(
      `select type, created_by, created_by_user_id, coalesce(data, pre_data)->>'tokenName' as name
       from events
       where coalesce(data, pre_data)->>'id' = $1
       order by id`,
      [id],
    );
    const common = { created_by: 'system', created_by_user_id: -1337, name: 'edge' };
    expect(rows).to.deep.equal([
      { type: 'api-token-created', ...common },
      { type: 'api-token-deleted', ...common },
    ]);
  });

  it('announces a revocation under the stored id, however the id was written', async () => {
    const { id } = await create('--environment', 'production');
    const revocations = redisBusOf(world);
    try {
      const heard: string[] = [];
      await new Promise<void>((onGap) => {
        revocations.subscribe({
          onRevoked: (tokenId) => heard.push(tokenId),
          onLost: () => undefined,
          onGap,
        });
      });
      await callCli(world, 'token', 'revoke', id.toUpperCase());
      await eventually(
        () => Promise.resolve(heard),
        (ids) => ids.includes(id),
      );
    } finally {
      revocations.close();
    }
  });

  it('warns without Redis that running services do not hear of a revocation at once', async () => {
    const { id } = await create('--environment', 'production');
    const { log, lines } = collectLog();
    const config = readConfig({ ...world.env, REDIS_URL: '' });
    await callCli({ ...world, config, log }, 'token', 'revoke', id);
    expect(
      lines()
        .map(({ msg }) => msg)
        .join(),
    ).to.match(/^changed: running services notice it within a minute/);
  });

  it('gives a token the common limit by default', async () => {
    const { id } = await create('--environment', 'production');

    expect(await find(id)).to.include({ 'per minute': '' });
  });

  it('gives a token its own reasons that count as no', async () => {
    const { id } = await create(
      '--environment',
      'production',
      '--not-enabled-reason',
      'OFF',
      '--not-enabled-reason',
      'stale',
    );
    expect(await find(id)).to.include({ 'no if': 'off,stale' });
  });

  it('creates no client token without an environment', async () => {
    const outcome = await create().catch((error: unknown) => error);

    expect(outcome).to.be.instanceOf(FlagmeterError).with.property('code', 'usage');
  });

  it('creates a token that ends, and none that lasts longer than the settings allow', async () => {
    const { id } = await create('--environment', 'production', '--expires-in', '2d');
    const { created = '', expires = '' } = (await find(id)) ?? {};
    const lastedMs = Date.parse(expires) - Date.parse(created);
    expect(lastedMs).to.be.within(47 * 3_600_000, 48 * 3_600_000);

    const limited = { ...world, config: readConfig({ ...world.env, MAX_DAYS_OF_CLIENT_TOKENS: '30' }) };
    const args = ['token', 'create', '--name', 'edge', '--type', 'client', '--environment', 'production'];
    for (const end of [[], ['--expires-in', '40d']]) {
      const refused = await callCli(limited, ...args, ...end).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(FlagmeterError).with.property('code', 'usage');
      expect(refused).with.property('message').that.includes('at most 30 days (MAX_DAYS_OF_CLIENT_TOKENS)');
    }
    expect((await callCli(limited, ...args, '--expires-in', '30d')).output).to.include('id');
  });

  it('replaces a token by one with the same rights, once, and lets the old one end', async () => {
    const limits = ['--rate-limit', '600', '--project', 'default'];
    const args = ['token', 'create', '--name', 'rotated', '--type', 'client', '--environment', 'production'];
    await callCli(world, ...args, ...limits);
    const { output } = await callCli(world, 'token', 'rotate', 'rotated', '--overlap', '2d');
    const [, secret = '', id = '', oldId = '', end = ''] =
      /^(\S+)\n\(id (\S+);.* The token (\S+) ends at (\S+)\.\)$/.exec(output) ?? [];
    expect(secret).to.match(/^default:production\.\w{32,}$/);
    expect(Date.parse(end) - Date.now()).to.be.within(47 * 3_600_000, 48 * 3_600_000);
    const [old, successor] = [await find(oldId), await find(id)];
    expect(old).to.include({ expires: end, revoked: '', 'successor of': '' });
    const rights = { type: 'client', environment: 'production', projects: 'default', 'per minute': '600' };
    expect(successor).to.include({ ...rights, name: 'rotated', expires: '', 'successor of': oldId });

    for (const again of ['rotated', oldId]) {
      const refused = await callCli(world, 'token', 'rotate', again).catch((error: unknown) => error);
      expect(refused).to.be.instanceOf(FlagmeterError).with.property('code', 'usage');
      expect(refused).with.property('message').that.includes(id);
    }
    const unknown = await callCli(world, 'token', 'rotate', 'nobody').catch((error: unknown) => error);
    expect(unknown).to.be.instanceOf(FlagmeterError).with.property('code', 'not-found');
  });

  async function create(...options: readonly string[]): Promise<{ secret: string; id: string }> {
    const args = ['token', 'create', '--name', 'edge', '--type', 'client', ...options];
    const { output } = await callCli(world, ...args);
    const [, secret = '', id = ''] = /^(\S+)\n\(id (\S+);/.exec(output) ?? [];
    return { secret, id };
  }

  async function find(id: string): Promise<Record<string, string> | undefined> {
    const { output } = await callCli(world, 'token', 'list');
    return rowsOf(output).find((row) => row['id'] === id);
  }
});
