import { expect } from 'chai';
import { personOf, projectRolesOf, roleOf } from '../../../../services/admin/sign-in/rules.ts';

describe('roleOf', () => {
  const roles = [
    { role: 'Admin', groups: ['admins'] },
    { role: 'Editor', groups: ['developers', 'product'] },
    { role: 'Viewer', groups: ['*'] },
  ] as const;

  it('is the highest role of the groups', () => {
    expect(roleOf(['product', 'admins'], roles)).to.equal('Admin');
    expect(roleOf(['others', 'product'], roles)).to.equal('Editor');
  });

  it('is that of everybody for a person without groups, and none if there is no such role', () => {
    expect(roleOf([], roles)).to.equal('Viewer');
    expect(roleOf(['*', 'Admins'], roles.slice(0, 2))).to.equal(undefined);
  });
});

describe('projectRolesOf', () => {
  const of = (group: string, role: string, ...environments: string[]) => ({
    ...{ group, project: 'shop', role, environments },
  });

  it('are those of the groups and of everybody', () => {
    const settings = [of('team', 'Editor'), of('leads', 'Owner'), of('*', 'Viewer')];
    const roles = (groups: string[]) => projectRolesOf(groups, settings).map(({ role }) => role);
    expect(roles(['team', 'others'])).to.deep.equal(['Editor', 'Viewer']);
    expect(roles([])).to.deep.equal(['Viewer']);
  });

  it('have the environments of all groups, and every one if a group has no limit', () => {
    const settings = [of('a', 'Editor', 'staging'), of('b', 'Editor', 'development'), of('c', 'Editor')];
    const environments = (groups: string[]) => projectRolesOf(groups, settings)[0]?.environments;
    expect(environments(['a', 'b'])).to.deep.equal(['development', 'staging']);
    expect(environments(['a', 'b', 'c'])).to.deep.equal([]);
  });
});

describe('personOf', () => {
  const ID = { issuer: 'https://login.example', subject: '7' };
  const read = (claims: object, groupsClaim = 'groups') => personOf(ID, { ...claims }, groupsClaim);

  it('reads one group or several, and nothing else', () => {
    expect(read({ groups: ['a', 3, 'b'] }).groups).to.deep.equal(['a', 'b']);
    expect(read({ hd: 'example.org' }, 'hd').groups).to.deep.equal(['example.org']);
    expect(read({ groups: { a: true } }).groups).to.deep.equal([]);
    expect(read({}).groups).to.deep.equal([]);
  });

  it('believes no address that the provider has not verified, and gives it no group', () => {
    const claims = { email: 'boss@example.org', email_verified: false };
    expect(read(claims, 'email'))
      .to.include({ email: undefined, username: '7' })
      .and.deep.include({ groups: [] });
    expect(read({ email: 'ana@example.org' }, 'email').groups).to.deep.equal(['ana@example.org']);
  });

  it('ignores names that cannot be stored or shown', () => {
    expect(
      read({ email: 'no address', preferred_username: 'a\u0000b', name: 'x'.repeat(300) }),
    ).to.deep.equal({
      ...ID,
      ...{ email: undefined, username: '7', name: undefined, groups: [] },
    });
  });
});
