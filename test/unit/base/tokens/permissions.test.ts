import { expect } from 'chai';
import {
  type ApiToken,
  EVERY,
  type Grant,
  PROJECT_PERMISSIONS,
  callerOf,
  grantsOf,
  mayIn,
  projectsWith,
} from '#base/tokens';

const anAdminToken = (members: Partial<ApiToken>): ApiToken => ({
  id: 'one',
  name: 'deploy',
  type: 'admin',
  environment: '*',
  projects: [],
  expiresAt: undefined,
  ...members,
});

function aUserWith(...grants: Grant[]) {
  return { role: 'None', grants } as const;
}

const EDITOR = grantsOf([
  { project: 'shop', role: 'Editor', permissions: [], environments: ['development'] },
]);

describe('a role of a project', () => {
  it('permits changes in its environments only, and nothing in other projects', () => {
    const user = aUserWith(...EDITOR);
    const may = (environment?: string | typeof EVERY, project = 'shop') =>
      mayIn(user, 'UPDATE_FEATURE', { project, environment });
    expect([may(), may('development'), may('production'), may(EVERY)]).to.deep.equal([
      true,
      true,
      false,
      false,
    ]);
    expect([may(undefined, 'other'), may('development', 'other')]).to.deep.equal([false, false]);
  });

  it('adds to others, and to the root role', () => {
    const owner = grantsOf([{ project: 'search', role: 'Owner', permissions: [], environments: [] }]);
    const user = aUserWith(...EDITOR, ...owner);
    expect(projectsWith(user, 'READ')).to.deep.equal(['search', 'shop']);
    expect(projectsWith(user, 'MANAGE_ACCESS')).to.deep.equal(['search']);
    expect(projectsWith({ ...user, role: 'Viewer' }, 'READ')).to.equal(undefined);
    expect(mayIn({ ...user, role: 'Viewer' }, 'UPDATE_FEATURE', { project: 'other' })).to.equal(false);
  });

  it('added by an Admin permits the permissions in its list, and ignores unknown names', () => {
    const permissions = ['READ', 'ADMIN', 'nonsense'];
    const [grant] = grantsOf([{ project: 'shop', role: 'Reader', permissions, environments: [] }]);
    expect(grant?.permissions).to.deep.equal(['READ']);
  });

  it('named like a member of every object permits only what is in its list', () => {
    const [grant] = grantsOf([
      { project: 'shop', role: 'constructor', permissions: ['READ'], environments: [] },
    ]);
    expect(grant?.permissions).to.deep.equal(['READ']);
  });
});

describe('an ADMIN token', () => {
  it('without projects and environment may do everything', () => {
    expect(callerOf(anAdminToken({}))).to.include({ role: 'Admin' });
  });

  it('with projects may do there what belongs to a project', () => {
    const caller = callerOf(anAdminToken({ projects: ['shop'] }));
    expect(caller).to.deep.include({
      role: 'None',
      grants: [{ project: 'shop', permissions: PROJECT_PERMISSIONS, environments: [] }],
    });
  });

  it('with an environment may change only that, in every project', () => {
    const caller = callerOf(anAdminToken({ environment: 'development' }));
    if (caller === undefined) throw new Error('it is a caller');
    const may = (environment: string) => mayIn(caller, 'UPDATE_FEATURE', { project: 'any', environment });
    expect([may('development'), may('production')]).to.deep.equal([true, false]);
    expect(projectsWith(caller, 'READ')).to.equal(undefined);
    expect(mayIn(caller, 'ADMIN', { project: 'any' })).to.equal(false);
  });
});
