import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { SYSTEM, hashSecret } from '#base/tokens';
import { importDocument } from '../../../../services/admin/doors/exchange/store/import.ts';
import { sharedAdminWorld } from '../../../support/admin-api/admin.ts';
import { IN_A_MONTH } from '../../../support/times.ts';

const FILE = { format: 'flagmeter', version: 1 } as const;

describe('an import', () => {
  const world = sharedAdminWorld();

  const importing = (document: object): Promise<string> =>
    importDocument(world.db, { ...FILE, ...document }, SYSTEM).then(
      () => 'done',
      (error: unknown) => String(error),
    );

  const actors = [
    { id: -1, username: 'unknown' },
    { id: -42, username: 'admin-token' },
    { id: -1337, username: 'system' },
  ];
  for (const { id, username } of actors)
    it(`brings no token with which somebody would act as ${username}`, async () => {
      const { rows } = await world.db.query<{ uid: string; username: string }>(
        'select uid, username from users where id = $1',
        [id],
      );
      expect(rows[0]?.username).to.equal(username);
      const uid = randomUUID();
      for (const [user, users] of [
        [rows[0]?.uid, []],
        [uid, [{ uid, username, root_role: 'Admin' }]],
      ] as const) {
        const secret = `user:${randomUUID()}`;
        const token = {
          id: randomUUID(),
          user,
          creator: user,
          description: 'x',
          secret_hash: hashSecret(secret),
          expires_at: IN_A_MONTH,
        };
        expect(await importing({ users, personal_access_tokens: [token] })).not.to.equal('done');
        expect((await world.api.get('/api/admin/user', { token: secret })).status).to.equal(401);
      }
    });

  it('gives the name of a deleted person of a provider to nobody whom another one or none signs in', async () => {
    const person = { issuer: 'https://login.example.org', subject: '1', email: 'ana@example.org' };
    const gone = { ...person, uid: randomUUID(), root_role: 'Viewer', deleted_at: '2026-01-01T00:00:00Z' };
    expect(await importing({ users: [gone] })).to.equal('done');
    const users = [{ uid: randomUUID(), email: 'Ana@example.org', root_role: 'Admin' }];
    expect(await importing({ users })).to.include('ana@example.org'.replace('a', 'A'));
    const again = { ...person, uid: randomUUID(), subject: '2', root_role: 'Viewer' };
    expect(await importing({ users: [gone, again] })).to.equal('done');
    expect(await importing({ users: [gone, again] })).to.equal('done');
  });
});
