import { expect } from 'chai';
import { EVERY, mayIn } from '../../../../services/console/state/may.ts';
import { mayTake, scopeOf } from '../../../../services/console/state/change-request-steps.ts';

const GRANTED = [
  { permission: 'MANAGE_OWN', project: null, environments: [] },
  { permission: 'UPDATE_FEATURE', project: 'shop', environments: ['development'] },
  { permission: 'EDIT_CHANGE_REQUEST', project: 'shop', environments: ['development'] },
  { permission: 'APPROVE_CHANGE_REQUEST', project: 'shop', environments: ['development'] },
  { permission: 'READ', project: 'blog', environments: [] },
  { permission: 'READ_EVENTS', project: '*', environments: [] },
];

describe('what a caller may do', () => {
  for (const [permission, where, expected] of [
    ['MANAGE_OWN', 'installation', true],
    ['MANAGE_OWN', { project: 'shop', environment: EVERY }, true],
    ['UPDATE_FEATURE', 'installation', false],
    ['UPDATE_FEATURE', 'anywhere', true],
    ['UPDATE_FEATURE', { project: 'shop' }, true],
    ['UPDATE_FEATURE', { project: 'shop', environment: 'development' }, true],
    ['UPDATE_FEATURE', { project: 'shop', environment: 'production' }, false],
    ['UPDATE_FEATURE', { project: 'shop', environment: EVERY }, false],
    ['UPDATE_FEATURE', { project: 'blog' }, false],
    ['READ', { project: 'blog', environment: EVERY }, true],
    ['READ_EVENTS', { project: 'blog' }, true],
    ['READ_EVENTS', 'installation', false],
    ['DELETE_FEATURE', 'anywhere', false],
  ] as const)
    it(`${expected ? 'is' : 'is not'} ${permission} in ${JSON.stringify(where)} ${typeof where === 'object' && 'environment' in where ? String(where.environment) : ''}`, () => {
      expect(mayIn(GRANTED, permission, where)).to.equal(expected);
    });
});

describe('the place of a change request', () => {
  const requestOf = (environment: string, action: string) =>
    scopeOf({ project: 'shop', environment, features: [{ changes: [{ action }] }] });
  const may = (permission: Parameters<typeof mayIn>[1], where: Parameters<typeof mayIn>[2]) =>
    mayIn(GRANTED, permission, where);

  it('is its environment, where a reviewer needs the permission', () => {
    expect(mayTake('approve', requestOf('development', 'updateEnabled'), may)).to.equal(true);
    expect(mayTake('approve', requestOf('production', 'updateEnabled'), may)).to.equal(false);
    expect(mayTake('apply', requestOf('development', 'updateEnabled'), may)).to.equal(false);
    expect(mayTake('cancel', requestOf('production', 'updateEnabled'), may)).to.equal(true);
  });

  it('is every environment if it archives', () => {
    expect(mayTake('approve', requestOf('development', 'archiveFeature'), may)).to.equal(false);
  });
});
