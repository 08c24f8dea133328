import { expect } from 'chai';
import { SYSTEM, cleanTag, cleanText, isAddress, isUserName, keyOfUserName } from '#base/tokens';
import { importDocument } from '../../../../services/admin/doors/exchange/store/import.ts';
import { aFeature, sharedAdminWorld } from '../../../support/admin-api/admin.ts';

const FILE = { format: 'flagmeter', version: 1 } as const;
const USERS = '/api/admin/user-admin';

/** Names that look like `ana`. */
const LOOKALIKES = [
  'Ana',
  ' ana',
  'ana ',
  'ana\u200B',
  '\u202Eana',
  'аna',
  'ａｎａ',
  'aná',
  'ɑna',
  'ana\u00A0',
];

const CHUNK = 4096;

/** Each character in two places of a name, and what the functions of Postgres make of it. Surrogates are no characters. */
const MEANINGS = `
  select name, array[clean_text(name), clean_tag(name), user_name_key(name)] as ours
  from generate_series($1::integer, $2::integer) as code
  cross join lateral (
    select 'A ' || chr(code) || ':' || chr(code) || ' b' as name
    where code not between 55296 and 57343
  ) as named
  union all
  select 'no characters', array['no characters', 'no characters', 'no characters']`;

describe('the name of a user', () => {
  const world = sharedAdminWorld();
  before(async () => {
    const user = { username: 'ana', email: 'ana@example.org', rootRole: 'Viewer' };
    expect((await world.api.post(USERS, user)).status).to.equal(201);
  });
  after(() => world.dispose());

  async function people(): Promise<unknown[]> {
    const { rows } = await world.db.query<object>(
      `select username, email from users where not is_system and user_name_key(coalesce(username, email)) ~ '^ana'`,
    );
    return rows;
  }

  it('means the same in Postgres and in the code, whatever characters it has', async () => {
    for (let from = 1; from < 65_534; from += CHUNK) {
      const { rows } = await world.db.query<{ name: string; ours: string[] }>(MEANINGS, [
        from,
        from + CHUNK - 1,
      ]);
      expect(rows).to.have.length.of.at.least(1);
      for (const { name, ours } of rows) {
        const [cleaned, tag, key] = ours;
        const isSame = cleaned === cleanText(name) && tag === cleanTag(name);
        if (!isSame || (isUserName(name) && key !== keyOfUserName(name)))
          expect.fail(`${JSON.stringify(name)} is ${JSON.stringify(ours)} in Postgres`);
      }
    }
  });

  for (const name of LOOKALIKES)
    it(`is no second one that looks like it: ${JSON.stringify(name)}`, async () => {
      const taken = { username: name, rootRole: 'Viewer' };
      expect((await world.api.post(USERS, taken)).status).to.equal(isUserName(name) ? 409 : 400);
      const email = `${name.trim()}@example.org`;
      const answer = await world.api.post(USERS, { email, rootRole: 'Viewer' });
      expect(answer.status).to.equal(isAddress(email) ? 409 : 400);
      const inserted = world.db.query('insert into users (username) values ($1)', [name]);
      expect(await inserted.catch((error: unknown) => (error as { code: string }).code)).to.be.oneOf([
        '23505',
        '23514',
      ]);
      const user = {
        uid: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
        username: name,
        root_role: 'Viewer' as const,
      };
      await importDocument(world.db, { ...FILE, users: [user] }, SYSTEM).catch(() => undefined);
      expect(await people()).to.deep.equal([{ username: 'ana', email: 'ana@example.org' }]);
    });

  it('is trimmed, and so is the display name', async () => {
    const { body } = await world.api.post(USERS, {
      username: ' Ben  Müller ',
      name: '\u202E Ben\u200B Müller ',
      rootRole: 'Viewer',
    });
    expect(body).to.include({ username: 'Ben Müller', name: 'Ben Müller' });
  });

  it('is no address, so that nobody is called like the address of somebody else', async () => {
    for (const username of ['ana@example.org', 'ana＠example.org'])
      expect((await world.api.post(USERS, { username, rootRole: 'Admin' })).status).to.equal(400);
  });
});

describe('owners and tags of features', () => {
  const world = sharedAdminWorld();
  after(() => world.dispose());

  const FEATURES = '/api/admin/projects/default/features';

  it('are trimmed when somebody writes them, and the event has them so', async () => {
    await aFeature(world.api, 'written');
    const content = { owner: ' Checkout\u200B team ', tags: [' team : checkout', 'team:checkout ', 'a:b'] };
    const { body } = await world.api.put(`${FEATURES}/written`, content);
    const cleaned = { owner: 'Checkout team', tags: ['a:b', 'team:checkout'] };
    expect(body).to.deep.include(cleaned);
    const { rows } = await world.db.query<{ data: object }>(
      `select data from events where type = 'feature-metadata-updated' order by id desc limit 1`,
    );
    expect(rows[0]?.data).to.deep.include(cleaned);
  });

  it('are trimmed in imports', async () => {
    const feature = { name: 'imported', project: 'default', owner: ' Search ', tags: ['team : a', 'team:a'] };
    await importDocument(world.db, { ...FILE, features: [feature] }, SYSTEM);
    const { body } = await world.api.get(`${FEATURES}/imported`);
    expect(body).to.deep.include({ owner: 'Search', tags: ['team:a'] });
  });

  it('are trimmed in filters', async () => {
    for (const query of ['owner=%20Search', 'owner=Search%20', 'tag=team:%20a%20', 'owner=Search%E2%80%8B']) {
      const { body } = await world.api.get(`/api/admin/search/features?${query}`);
      const names = (body as { items: { name: string }[] }).items.map(({ name }) => name);
      expect(names, query).to.deep.equal(['imported']);
    }
  });

  it('are not empty', async () => {
    for (const content of [{ owner: ' ' }, { owner: '\u200B' }, { tags: ['team: '] }, { tags: [' :a'] }])
      expect((await world.api.put(`${FEATURES}/written`, content)).status).to.equal(400);
  });
});
