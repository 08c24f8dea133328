import { expect } from 'chai';
import { projectRolesOf, roleOf } from '../../../../../../services/admin/people/sign-in/rules.ts';

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
    group,
    project: 'shop',
    role,
    environments,
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
