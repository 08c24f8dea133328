import { expect } from 'chai';
import { pruneAudit } from '../../../../../services/admin/record/audit/store/prune.ts';
import { recordEntry } from '../../../../../services/admin/record/audit/index.ts';
import { sharedAdminWorld } from '../../../../support/admin-api/admin.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';

const FEATURES = '/api/admin/projects/default/features';

describe('the chain of the audit', () => {
  const world = sharedAdminWorld();
  // The position comes first: the job that writes entries to the log locks it before it reads them.
  beforeEach(async () => {
    await world.db.query('update audit_log_position set sequence = 0; truncate audit_entries');
    for (let count = 1; count <= 5; count += 1) await add(count);
  });

  const add = (count: number) =>
    recordEntry(world.db, { outcome: 'done', operation: 'test', parameters: { count: String(count) } });
  const verify = (...options: string[]) => callCli(world, 'audit', 'verify', ...options);
  const change = (statement: string) => world.db.query(statement);

  async function head(): Promise<string> {
    const { output } = await verify();
    return /^Head: (\w{64})$/m.exec(output)?.[1] ?? '';
  }

  async function trouble(...options: string[]): Promise<string> {
    const { output, exitCode } = await verify(...options);
    expect(exitCode).to.equal(1);
    return output;
  }

  it('agrees, and names its last entry', async () => {
    const { output, exitCode } = await verify();
    expect(exitCode).to.equal(0);
    expect(output)
      .to.match(/^5 entries agree\.\nThe last one is 5 of /)
      .and.include(await head());
  });

  it('agrees for any text', async () => {
    for (const reason of ['größer', '\0 \uD800 "\\\n', '😀', ''])
      await recordEntry(world.db, { outcome: 'done', operation: 'test', reason });
    expect((await verify()).exitCode).to.equal(0);
    const { rows } = await world.db.query<{ reason: string }>(
      'select reason from audit where reason is not null',
    );
    expect(rows.map(({ reason }) => reason)).to.deep.equal(['größer', '\uFFFD \uFFFD "\\\n', '😀', '']);
  });

  it('shows the entry that its owner has changed, also together with its hash', async () => {
    await change(
      `update audit_entries set content = '{"operation":"other","outcome":"done"}' where sequence = 3`,
    );
    expect(await trouble()).to.include('Entry 3 was changed');
    await change(`update audit_entries set hash = audit_hash(audit_entries) where sequence = 3`);
    expect(await trouble()).to.include('Entry 4 does not follow entry 3');
  });

  it('shows that the time or the number of an entry was changed', async () => {
    await change(`update audit_entries set at = at - interval '1 microsecond' where sequence = 2`);
    expect(await trouble()).to.include('Entry 2 was changed');
  });

  it('shows that entries in the middle or at the beginning are missing', async () => {
    await change('delete from audit_entries where sequence = 4');
    expect(await trouble()).to.include('Entry 4 is missing');
    await change('delete from audit_entries where sequence = 1');
    expect(await trouble()).to.include('Entry 4 is missing');
    await change('delete from audit_entries where sequence < 5');
    expect(await trouble()).to.include('Entry 5 is the first one');
  });

  it('shows with a kept head that the end was cut off or written again', async () => {
    const kept = await head();
    await add(6);
    expect((await verify('--head', kept)).exitCode).to.equal(0);
    await change('update audit_log_position set sequence = 0; delete from audit_entries where sequence > 4');
    expect((await verify()).exitCode).to.equal(0);
    expect(await trouble('--head', kept)).to.include(`No entry has the hash ${kept}`);
    await add(5);
    expect(await trouble('--head', kept)).to.include(`No entry has the hash ${kept}`);
  });

  it('shows that entries which are in the log are missing, also if none is left', async () => {
    await change('update audit_log_position set sequence = 5; delete from audit_entries where sequence > 4');
    expect(await trouble()).to.include('The log has entries up to 5');
    await change('update audit_log_position set sequence = 5; truncate audit_entries');
    expect(await trouble()).to.include('The log has entries up to 5');
  });

  it('stays one chain when many write at the same time', async () => {
    const names = Array.from({ length: 20 }, (_, index) => `feature-${index}`);
    const byApi = async () => {
      for (const name of names) expect((await world.api.post(FEATURES, { name })).status).to.equal(201);
    };
    await Promise.all([byApi(), ...Array.from({ length: 200 }, (_, index) => add(index))]);
    const { rows } = await world.db.query<{ name: string }>(
      `select feature_name as name from audit where event = 'feature-created'`,
    );
    expect(rows.map(({ name }) => name)).to.have.members(names);
    expect((await verify()).output).to.match(/^225 entries agree/);
  });

  it('prunes what is old, keeps the rest, and knows where it begins', async () => {
    await change('update audit_settings set retention_days = 30');
    await change(`alter table audit_entries disable trigger audit_entries_chained`);
    await change(`delete from audit_entries`);
    await change(`
      insert into audit_entries (sequence, at, content, previous_hash, hash)
      with recursive made as (
        select audit_hash(row(1, now() - interval '40 days', '{"operation":"test","outcome":"done"}', repeat('0', 64), '', 0)::audit_entries) as hash, 1 as sequence
        union all
        select
          audit_hash(row(sequence + 1, now() - (40 - 5 * sequence) * interval '1 day', '{"operation":"test","outcome":"done"}', hash, '', 0)::audit_entries),
          sequence + 1
        from made
        where sequence < 6
      )
      select
        sequence, now() - (45 - 5 * sequence) * interval '1 day', '{"operation":"test","outcome":"done"}',
        lag(hash, 1, repeat('0', 64)) over (order by sequence), hash
      from made`);
    await change(`alter table audit_entries enable trigger audit_entries_chained`);
    const earlier = () => Date.now() - 30 * 86_400_000;
    await pruneAudit(world.db, earlier);
    expect((await verify()).output, 'one of two clocks is ahead').to.match(/^6 entries agree/);
    await pruneAudit(world.db);
    const { output, exitCode } = await verify();
    expect(output).to.match(/^The entries up to 3 were pruned because of their age\.\n4 entries agree/);
    expect(exitCode).to.equal(0);
    await change('select prune_audit()');
    expect((await verify()).output).to.equal(output);
    await change('delete from audit_entries where sequence = 4');
    expect(await trouble()).to.include('Entry 5 is the first one');
  });

  it('numbers and hashes its entries itself, whatever a writer sends', async () => {
    await change(
      `insert into audit_entries (sequence, at, content, previous_hash, hash)
       values (77, '2001-01-01', '{"operation":"test","outcome":"done"}', 'x', 'y')`,
    );
    expect((await verify()).output).to.match(/^6 entries agree\.\nThe last one is 6 of 2\d/);
  });
});
