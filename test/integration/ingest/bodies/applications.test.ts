import { expect } from 'chai';
import type { Application } from '#core/counting';
import { eventually } from '../../../support/eventually.ts';
import { bodyOf, post } from '../../../support/requests/post.ts';
import { sharedCounting } from '../../../support/stories/counting.ts';
import { sharedWorld } from '../../../support/world.ts';

describe('the applications of a batch', () => {
  const world = sharedWorld({ KAFKA_COUNTS_PARTITIONS: '1' });
  const ingest = sharedCounting(world);

  it('are registered with their strategies', async () => {
    const start = new Date();
    await register({ appName: 'shop', strategies: ['default', 'flexibleRollout'] });
    const [row] = await rowsOf('client_applications', 'shop');
    expect(row).to.include({ app_name: 'shop', created_by: 'system' });
    expect(row?.['strategies']).to.have.members(['default', 'flexibleRollout']);
    expect(row?.['seen_at']).to.be.a('date').that.is.at.least(start);
  });

  it('are registered with their instances', async () => {
    const instance = { environment: 'production', sdkVersion: 'node:6.7.0', sdkType: 'backend' };
    await register({ appName: 'fleet', instanceId: 'one', ...instance });
    await register({ appName: 'fleet', instanceId: 'two', ...instance });
    const rows = await eventually(
      () => rowsOf('client_instances', 'fleet'),
      (found) => found.length === 2,
    );
    expect(rows.map((row) => row['instance_id'])).to.have.members(['one', 'two']);
    expect(rows[0]).to.include({
      environment: 'production',
      sdk_version: 'node:6.7.0',
      sdk_type: 'backend',
    });
  });

  it('are registered with the platform of each instance and the relays of its last report', async () => {
    const platform = { platformName: 'node', platformVersion: 'v22.9.0', yggdrasilVersion: '0.17.3' };
    const [near, far] = ['near', 'far'].map((instanceId) => ({ appName: 'edge', instanceId }));
    if (near === undefined || far === undefined) throw new Error('there are two');
    await register({
      appName: 'relayed',
      instanceId: 'one',
      interval: 15_000,
      ...platform,
      connectVia: [near, far],
    });
    const [first] = await rowsOf('client_instances', 'relayed');
    expect(first).to.deep.include({
      platform_name: 'node',
      platform_version: 'v22.9.0',
      yggdrasil_version: '0.17.3',
      connect_via: [near, far],
    });
    await register({ appName: 'relayed', instanceId: 'one', connectVia: [far] });
    const moved = await eventually(
      () => rowsOf('client_instances', 'relayed'),
      ([row]) => JSON.stringify(row?.['connect_via']) === JSON.stringify([far]),
    );
    expect(moved).to.have.length(1);
    expect(moved[0]).to.include({ platform_name: 'node', yggdrasil_version: '0.17.3', interval_ms: 15_000 });
    await register({ appName: 'relayed', instanceId: 'one' });
    await eventually(
      () => rowsOf('client_instances', 'relayed'),
      ([row]) => JSON.stringify(row?.['connect_via']) === '[]',
    );
  });

  it('are registered with their interval in milliseconds, also by a relay', async () => {
    const connectVia = [{ appName: 'edge', instanceId: 'one' }];
    const python = { instanceId: 'python', interval: 300, sdkVersion: 'unleash-client-python:6.8.0' };
    await register({ appName: 'timed', ...python, connectVia });
    await register({
      appName: 'timed',
      instanceId: 'node',
      interval: 300,
      sdkVersion: 'unleash-node-sdk:6.1',
    });
    const rows = await eventually(
      () => rowsOf('client_instances', 'timed'),
      (found) => found.length === 2,
    );
    const intervals = rows.map((row) => [row['instance_id'], row['interval_ms']]);
    expect(intervals).to.have.deep.members([
      ['python', 300_000],
      ['node', 300],
    ]);
  });

  it('are registered with the projects and environments in which they evaluate', async () => {
    await register({ appName: 'wide', environment: 'production', projects: ['default', 'payments'] });
    const rows = await rowsOf('client_applications_usage', 'wide');
    expect(rows.map(({ environment, project }) => [environment, project])).to.have.deep.members([
      ['production', 'default'],
      ['production', 'payments'],
    ]);
  });

  it('get defaults for missing members', async () => {
    await register({ appName: 'terse', environment: null, instanceId: null, sdkVersion: null });
    const [usage] = await rowsOf('client_applications_usage', 'terse');
    const [instance] = await rowsOf('client_instances', 'terse');
    expect(usage).to.include({ app_name: 'terse', environment: 'default', project: '*' });
    expect(instance).to.include({ environment: 'default', instance_id: 'default', sdk_version: null });
  });

  it('may be of another environment than the token, because a relay sends all applications with every push', async () => {
    await register({ appName: 'elsewhere', environment: 'development' });
    const [usage] = await rowsOf('client_applications_usage', 'elsewhere');
    expect(usage).to.include({ environment: 'development' });
  });

  it('produce one event each, however often they are registered', async () => {
    const applications = [{ appName: 'loud' }, { appName: 'louder' }, { appName: 'loud', instanceId: 'two' }];
    const pushes = Array.from({ length: 10 }, () => post(ingest, { body: bodyOf({ applications }) }));
    const statuses = (await Promise.all(pushes)).map(({ status }) => status);
    expect(new Set(statuses)).to.deep.equal(new Set([202]));
    await register({ appName: 'loud', instanceId: 'three' });
    await register({ appName: 'loudest' });
    const { rows } = await world.db.query<{ name: string; count: number; created_by: string }>(
      `select data ->> 'appName' as name, count(*)::int as count, min(created_by) as created_by
       from events
       where type = 'application-created'
         and data ->> 'appName' like 'loud%'
       group by 1
       order by 1`,
    );
    expect(rows).to.deep.equal([
      { name: 'loud', count: 1, created_by: 'system' },
      { name: 'louder', count: 1, created_by: 'system' },
      { name: 'loudest', count: 1, created_by: 'system' },
    ]);
  });

  it('need no metrics in the same batch', async () => {
    const { total: before } = await world.settled();
    await register({ appName: 'quiet' });
    const { total } = await world.settled();
    expect(total).to.deep.equal(before);
  });

  it('keep their strategies when a later registration names none', async () => {
    await register({ appName: 'steady', strategies: ['userWithId'] });
    await register({ appName: 'steady', strategies: [], instanceId: 'two' });
    await eventually(
      () => rowsOf('client_instances', 'steady'),
      (found) => found.length === 2,
    );
    const [row] = await rowsOf('client_applications', 'steady');
    expect(row?.['strategies']).to.deep.equal(['userWithId']);
  });

  /** Registers one application and waits until its instance is stored. */
  async function register(application: Application): Promise<void> {
    const answer = await post(ingest, { body: bodyOf({ applications: [application] }) });
    expect(answer.status).to.equal(202);
    const instanceId = application.instanceId ?? 'default';
    await eventually(
      () => rowsOf('client_instances', application.appName),
      (rows) => rows.some((row) => row['instance_id'] === instanceId),
    );
  }

  async function rowsOf(table: string, appName: string): Promise<Record<string, unknown>[]> {
    const { rows } = await world.db.query<Record<string, unknown>>(
      `select * from ${table} where app_name = $1`,
      [appName],
    );
    return rows;
  }
});
