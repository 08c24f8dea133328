import { expect } from 'chai';
import { startAdmin } from '../../../../../services/admin/app.ts';
import { type Api, aUser, openApi } from '../../../../support/admin-api/admin.ts';
import {
  GUARD,
  type Harm,
  computeVerdicts,
  doHarm,
  guardEvents,
} from '../../../../support/admin-api/harm.ts';
import { revokePersonalTokens } from '../../../../support/admin-api/personal-tokens.ts';
import { eventually } from '../../../../support/eventually.ts';
import { sharedWorld } from '../../../../support/world.ts';

const PROJECT = '/api/admin/projects/shop';
/** After the guards are set, `tightened` gets required approvals. */
const ENVIRONMENTS = ['free', 'tightened'] as const;

type Person = {
  readonly name: string;
  readonly id: number;
  readonly token: string;
  readonly tokenId?: string;
};
type Case = {
  readonly make: (name: string) => Promise<Person>;
  /** What happens after the person has set a guard on the feature. */
  readonly then: (person: Person, feature: string) => Promise<unknown>;
  /** Whether the person is an Admin afterwards, may only change features, or may do nothing there. */
  readonly afterwards: 'Admin' | 'Editor' | RegExp;
};

describe('a guard that somebody has set', () => {
  const world = sharedWorld();
  let api: Api;
  before(async () => {
    api = await openApi((await world.run(startAdmin)).url);
    for (const id of ['shop', 'elsewhere']) await api.post('/api/admin/projects', { id, name: id });
    for (const name of ENVIRONMENTS) await api.post('/api/admin/environments', { name, type: 'production' });
  });

  const root = (role: 'Admin' | 'Editor') => async (name: string) => ({
    name,
    ...(await aUser(api, role, name)),
  });
  const ofProject = async (name: string): Promise<Person> => {
    const user = { name, ...(await aUser(api, 'None', name)) };
    await grant(name, []);
    return user;
  };
  const adminToken = async (name: string): Promise<Person> => {
    const body = { tokenName: name, type: 'admin', projects: ['shop'] };
    const { id, secret } = (await api.post('/api/admin/api-tokens', body)).body as Record<string, string>;
    return { name, id: -42, token: secret ?? '', tokenId: id ?? '' };
  };
  const grant = (user: string, environments: readonly string[]) =>
    api.post(`${PROJECT}/access`, { user, role: 'Editor', environments });
  const nothing = () => Promise.resolve();
  const become =
    (rootRole: string) =>
    ({ id }: Person) =>
      api.put(`/api/admin/user-admin/${id}`, { rootRole });
  const leave = ({ id }: Person) => api.delete(`/api/admin/user-admin/${id}`);
  const loseRole = ({ id }: Person) => api.delete(`${PROJECT}/access/${id}/Editor`);

  const LOST = /has lost the permission UPDATE_FEATURE in/;
  const CASES: Readonly<Record<string, Case>> = {
    'admin stays': { make: root('Admin'), then: nothing, afterwards: 'Admin' },
    'admin becomes Editor': { make: root('Admin'), then: become('Editor'), afterwards: 'Editor' },
    'admin becomes Viewer': { make: root('Admin'), then: become('Viewer'), afterwards: LOST },
    'admin leaves': { make: root('Admin'), then: leave, afterwards: /the user was deleted/ },
    'editor stays': { make: root('Editor'), then: nothing, afterwards: 'Editor' },
    'editor becomes Admin': { make: root('Editor'), then: become('Admin'), afterwards: 'Admin' },
    'editor becomes None': { make: root('Editor'), then: become('None'), afterwards: LOST },
    'editor leaves': { make: root('Editor'), then: leave, afterwards: /the user was deleted/ },
    'editor used a revoked token': {
      make: root('Editor'),
      then: (person) => revokePersonalTokens(api, person),
      afterwards: /the personal token that was used for it was revoked/,
    },
    'project editor stays': { make: ofProject, then: nothing, afterwards: 'Editor' },
    'project editor loses the role': { make: ofProject, then: loseRole, afterwards: LOST },
    'project editor is limited': {
      make: ofProject,
      async then(person) {
        await loseRole(person);
        await grant(person.name, ['development']);
      },
      afterwards: LOST,
    },
    'project editor sees the feature move': {
      make: ofProject,
      then: (_, feature) =>
        api.post(`${PROJECT}/features/${feature}/changeProject`, { newProjectId: 'elsewhere' }),
      afterwards: LOST,
    },
    'token stays': { make: adminToken, then: nothing, afterwards: 'Editor' },
    'token is revoked': {
      make: adminToken,
      then: ({ tokenId = '' }) => api.delete(`/api/admin/api-tokens/${tokenId}`),
      afterwards: /the token was revoked/,
    },
    'token expires': {
      make: adminToken,
      then: ({ tokenId }) =>
        world.db.query('update api_tokens set expires_at = now() where id = $1', [tokenId]),
      afterwards: /the token has expired/,
    },
  };

  it('turns the feature off only while that person may do it, and else says in an event why not', async () => {
    const expected: Record<string, RegExp | 'turned off'> = {};
    const tokens = { free: await aTrustedToken('free'), tightened: await aTrustedToken('tightened') };
    const harms: Harm[] = [];
    const later: (() => Promise<unknown>)[] = [];
    for (const [title, { make, then, afterwards }] of Object.entries(CASES)) {
      const person = await make(title);
      for (const environment of ENVIRONMENTS) {
        const feature = `${title} ${environment}`.replaceAll(' ', '-').toLowerCase();
        await set(feature, { environment, person });
        harms.push({ feature, environment, provedBy: [tokens[environment]] });
        if (environment === 'free' || title.includes('move')) later.push(() => then(person, feature));
        expected[feature] = outcomeOf(afterwards, environment);
      }
    }
    await doHarm(world, ...harms);
    for (const happen of later) await happen();
    await api.put(`${PROJECT}/environments/tightened/change-requests/config`, { requiredApprovals: 2 });
    await api.put('/api/admin/projects/elsewhere/environments/tightened/change-requests/config', {
      requiredApprovals: 2,
    });
    await computeVerdicts(world);
    const names = Object.keys(expected);
    const second = await world.run(startAdmin);
    const events = await eventually(
      () => guardEvents(world),
      (found) => new Set(found.map(({ feature }) => feature)).size === names.length,
      60_000,
    );
    await second.stop();
    for (const { feature, environment, type, data } of events) {
      const outcome = expected[feature];
      const says = `${feature}: ${JSON.stringify(data)}`;
      expect(type, says).to.equal(
        outcome === 'turned off' ? 'feature-environment-disabled' : 'feature-guard-withheld',
      );
      if (outcome instanceof RegExp) expect(data['objection'], says).to.match(outcome);
      expect(await isOn(feature, environment), says).to.equal(outcome !== 'turned off');
    }
    expect(Object.values(expected).filter((outcome) => outcome === 'turned off').length).to.be.within(5, 12);
    // Another round says nothing twice.
    const again = { feature: 'zz-last', environment: 'free' };
    await set(again.feature, { ...again, person: { name: 'system', id: -42, token: '' } });
    await doHarm(world, { ...again, provedBy: [tokens.free] });
    await computeVerdicts(world);
    await world.run(startAdmin);
    const all = await eventually(
      () => guardEvents(world),
      (found) => found.some(({ feature }) => feature === 'zz-last'),
      60_000,
    );
    expect(all).to.have.length(names.length + 1);
  }).timeout(300_000);

  function outcomeOf(afterwards: Case['afterwards'], environment: string): RegExp | 'turned off' {
    if (afterwards instanceof RegExp) return afterwards;
    if (environment === 'free' || afterwards === 'Admin') return 'turned off';
    return /^tightened requires approvals now, and .*, who has set the guard, is no Admin\.$/;
  }

  type Setting = { readonly environment: string; readonly person: Person };

  async function set(feature: string, { environment, person }: Setting): Promise<void> {
    await api.post(`${PROJECT}/features`, { name: feature });
    const guards = [{ ...GUARD, turnOff: [environment] }];
    const by = person.token === '' ? {} : { token: person.token };
    const { status, body } = await api.put(`${PROJECT}/features/${feature}`, { guards }, by);
    expect(status, `${feature}: ${JSON.stringify(body)}`).to.equal(200);
  }

  async function aTrustedToken(environment: string): Promise<string> {
    const { status, body } = await api.post('/api/admin/api-tokens', {
      tokenName: 'server',
      type: 'client',
      environment,
      trusted: true,
      projects: ['*'],
    });
    expect(status).to.equal(201);
    return (body as { id: string }).id;
  }

  async function isOn(feature: string, environment: string): Promise<boolean> {
    const { rowCount } = await world.db.query(
      'select from feature_environments where feature_name = $1 and environment = $2 and enabled',
      [feature, environment],
    );
    return rowCount === 1;
  }
});
