import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { createSecret } from '#base/tokens';
import { recordEntry } from '../../../../../services/admin/record/audit/index.ts';
import { aUser, sharedAdminWorld, operationsOf } from '../../../../support/admin-api/admin.ts';
import {
  type SignInWorld,
  SESSION,
  createSignInWorld,
} from '../../../../support/servers/identity/sign-in-world.ts';
import { eventually } from '../../../../support/eventually.ts';
import { callCli } from '../../../../support/stack/processes/cli-in-process.ts';

type Entry = { readonly operation: string; readonly outcome: string; readonly is_of_stranger: boolean };

/** Of a process, in a minute. */
const ROOM_OF_STRANGERS = 20;
const ROOM_OF_CALLER = 20;

describe('strangers in the audit', () => {
  let world: SignInWorld;
  before(async () => {
    world = await createSignInWorld((account) => ({
      email: `${account}@example.org`,
      email_verified: true,
      groups: account === 'nobody' ? [] : ['editors'],
    }));
  });
  after(() => world.dispose());

  async function aSecret(type: 'client' | 'frontend'): Promise<string> {
    const secret = createSecret([], 'production');
    const token = { secret, name: type, type, environment: 'production', projects: [], expiresAt: undefined };
    await createTokens(world.db).create(token);
    return secret;
  }

  /** Ways to be nobody in particular, as headers. */
  async function disguises(): Promise<Record<string, string>[]> {
    return [
      {},
      { authorization: '*:*.invented-by-a-stranger-1234567890' },
      { authorization: await aSecret('client') },
      // Every visitor of a page has it.
      { authorization: await aSecret('frontend') },
      { cookie: `${SESSION}=an-ended-session` },
      { origin: 'https://elsewhere.example.org' },
    ];
  }

  const entries = async (): Promise<Entry[]> =>
    (await world.db.query<Entry>('select operation, outcome, is_of_stranger from audit order by sequence'))
      .rows;

  it('have little room of their own, whatever route, method and token they try', async () => {
    const callers = [await aUser(world.api, 'Viewer', 'vera'), await aUser(world.api, 'Viewer', 'vic')];
    const known = (await entries()).length;
    const began = Date.now();
    const routes = [
      ...operationsOf(world.api).map(({ method, path, body }) => ({
        method: method.toUpperCase(),
        path,
        body,
      })),
      { method: 'POST', path: '/mcp', body: {} },
      { method: 'POST', path: '/sign-out', body: undefined },
      { method: 'GET', path: '/sign-in/callback?code=x&state=y', body: undefined },
      { method: 'GET', path: '/sign-in/callback?error=access_denied&state=y', body: undefined },
    ];
    const ways = await disguises();
    for (const [place, { method, path, body }] of routes.entries()) {
      const headers = { 'content-type': 'application/json', ...ways[place % ways.length] };
      const answer = await fetch(`${world.url}${path}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      await answer.body?.cancel();
      expect(answer.status, `${method} ${path}`).to.be.oneOf([400, 401, 403, 429]);
    }
    for (const headers of ways)
      for (let count = 0; count < 12; count += 1)
        await (await fetch(`${world.url}/api/admin/projects`, { method: 'POST', headers })).body?.cancel();

    // From the same address, as behind a proxy that TRUST_PROXY does not name.
    for (const { token } of callers)
      for (let count = 0; count < ROOM_OF_CALLER; count += 1)
        expect(
          (await world.api.post('/api/admin/projects', { id: 'x', name: 'X' }, { token })).status,
        ).to.equal(403);
    const minutes = Math.floor((Date.now() - began) / 60_000) + 2;
    const ofKnown = async () =>
      (await entries()).slice(known).filter((entry) => entry.outcome === 'refused' && !entry.is_of_stranger)
        .length;
    await eventually(ofKnown, (count) => count >= callers.length * ROOM_OF_CALLER, 120_000);
    const refused = (await entries()).slice(known).filter(({ outcome }) => outcome === 'refused');
    const ofStrangers = refused.filter((entry) => entry.is_of_stranger);
    expect(ofStrangers.length)
      .to.be.at.least(1)
      .and.at.most(minutes * (ROOM_OF_STRANGERS + 1));
    const ofCallers = refused.filter((entry) => !entry.is_of_stranger);
    expect(new Set(ofCallers.map(({ operation }) => operation))).to.deep.equal(new Set(['createProject']));
  });
});

describe('entries of strangers', () => {
  const world = sharedAdminWorld();
  // Two runs of strangers between others, and one at the beginning; all are ten days old.
  beforeEach(async () => {
    await change('update audit_log_position set sequence = 0; truncate audit_entries');
    for (const who of ['stranger', 'known', 'stranger', 'stranger', 'known', 'known', 'stranger', 'known'])
      await add(who);
    await change(AGE);
  });
  after(() => world.dispose());

  const change = (statement: string) => world.db.query(statement);
  const add = (who: string) =>
    recordEntry(world.db, {
      outcome: 'refused',
      operation: 'test',
      isStranger: who === 'stranger' ? true : undefined,
    });
  const verify = (...options: string[]) => callCli(world, 'audit', 'verify', ...options);
  const sequences = async () =>
    (await world.db.query<{ sequence: string }>('select sequence from audit order by sequence')).rows.map(
      (row) => Number(row.sequence),
    );

  it('are deleted after a week, and the rest can be verified', async () => {
    const { output } = await verify();
    const kept = /^Head: (\w{64})$/m.exec(output)?.[1] ?? '';
    await change('select prune_audit() + prune_strangers()');
    expect(await sequences()).to.deep.equal([2, 5, 6, 8, 9]);
    expect((await verify('--head', kept)).output).to.match(/^5 entries agree\.\nThe last one is 9 of /);
    await change('select prune_audit() + prune_strangers()');
    expect(await sequences()).to.deep.equal([2, 5, 6, 8, 9]);
    await change('update audit_settings set retention_days = 5');
    await change('select prune_audit() + prune_strangers()');
    await change('update audit_settings set retention_days = 0');
    const { output: pruned, exitCode } = await verify();
    expect(pruned).to.match(/^The entries up to 8 were pruned because of their age\.\n2 entries agree/);
    expect(exitCode).to.equal(0);
  });

  it('hide no other entry that was changed or deleted', async () => {
    await change('select prune_strangers()');
    for (const [statement, found] of [
      [`delete from audit_entries where sequence = 5`, 'Entry 3 is missing'],
      [`delete from audit_entries where sequence = 8`, 'Entry 7 is missing'],
      [
        `update audit_entries set content = '{"operation":"x","outcome":"done"}' where sequence = 6`,
        'Entry 6 was',
      ],
      [`update audit_entries set hash = audit_hash(audit_entries) where sequence = 6`, 'Entry 7 is missing'],
    ] as const) {
      const { rows } = await world.db.query<{ entries: object[] }>(
        'select json_agg(audit_entries order by sequence) as entries from audit_entries',
      );
      await change(statement);
      const { output, exitCode } = await verify();
      expect(output, statement).to.include(found);
      expect(exitCode).to.equal(1);
      if (statement.startsWith('delete')) await putBack(rows[0]?.entries ?? []);
    }
  });

  it('that are younger stay, and so does what was done', async () => {
    await add('stranger');
    await change(
      `insert into audit_entries (content) values ('{"operation":"test","outcome":"done","isStranger":true}')`,
    );
    await change('select prune_strangers()');
    expect(await sequences()).to.deep.equal([2, 5, 6, 8, 9, 10, 11]);
    const { output, exitCode } = await verify();
    expect(output).to.match(/^7 entries agree/);
    expect(exitCode).to.equal(0);
  });

  async function putBack(rows: readonly object[]): Promise<void> {
    await change('alter table audit_entries disable trigger audit_entries_chained');
    await world.db.query(
      `insert into audit_entries (sequence, at, content, previous_hash, hash)
       select sequence, at, content, previous_hash, hash
       from json_to_recordset($1) as row (sequence bigint, at timestamptz, content json, previous_hash text, hash text)
       on conflict do nothing`,
      [JSON.stringify(rows)],
    );
    await change('alter table audit_entries enable trigger audit_entries_chained');
  }
});

/** Makes every entry ten days older, and a chain of them again. */
const AGE = `
  do $$
  declare
    entry audit_entries;
    before text := repeat('0', 64);
  begin
    for entry in select * from audit_entries order by sequence loop
      entry.at := entry.at - interval '10 days';
      entry.previous_hash := before;
      before := audit_hash(entry);
      update audit_entries
      set at = entry.at, previous_hash = entry.previous_hash, hash = before
      where sequence = entry.sequence;
    end loop;
  end $$`;
