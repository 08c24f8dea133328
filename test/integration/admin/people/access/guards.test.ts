import { expect } from 'chai';
import { type Answer, type Api, aUser, sharedAdminWorld } from '../../../../support/admin-api/admin.ts';

const PROJECT = '/api/admin/projects/shop';
/** `guarded` requires approvals. */
const ENVIRONMENTS = ['development', 'production', 'guarded'] as const;
type Environment = (typeof ENVIRONMENTS)[number];

type Guard = {
  readonly metric: string;
  readonly direction: 'up' | 'down';
  readonly threshold: number;
  readonly above: number | null;
  readonly turnOff: readonly string[];
};
const guard = (turnOff: readonly string[], more: Partial<Guard> = {}): Guard => ({
  metric: 'errors',
  direction: 'up',
  threshold: 0.1,
  above: null,
  turnOff,
  ...more,
});

/** What somebody changes about a guard that acts in an environment: the guards before and after it. */
const CHANGES: Readonly<Record<string, (environment: string) => readonly [Guard[], Guard[]]>> = {
  'adds a guard': (environment) => [[], [guard([environment])]],
  'adds the environment': (environment) => [[guard([])], [guard([environment])]],
  'removes the environment': (environment) => [[guard([environment])], [guard([])]],
  'removes the guard': (environment) => [[guard([environment])], []],
  'changes the metric': (environment) => [
    [guard([environment])],
    [guard([environment], { metric: 'other' })],
  ],
  'changes the direction': (environment) => [
    [guard([environment])],
    [guard([environment], { direction: 'down' })],
  ],
  'accepts less': (environment) => [[guard([environment])], [guard([environment], { threshold: 0 })]],
  'changes the bound': (environment) => [[guard([environment])], [guard([environment], { above: 1 })]],
  'adds a second one': (environment) => [
    [guard([environment])],
    [guard([environment]), guard([environment], { metric: 'other' })],
  ],
};

type Person = {
  readonly token: string;
  readonly isAdmin: boolean;
  /** Where the person may change features. */
  readonly environments: readonly Environment[];
};

describe('guards that turn features off', () => {
  const world = sharedAdminWorld();
  let api: Api;
  let people: Record<string, Person>;
  let features = 0;
  before(async () => {
    ({ api } = world);
    await api.post('/api/admin/projects', { id: 'shop', name: 'Shop' });
    await api.post('/api/admin/environments', { name: 'guarded', type: 'production' });
    await api.put(`${PROJECT}/environments/guarded/change-requests/config`, { requiredApprovals: 2 });
    people = await makePeople();
  });

  for (const [title, change] of Object.entries(CHANGES))
    it(`may be set only by who may turn the feature off there: ${title}`, async () => {
      for (const [name, person] of Object.entries(people))
        for (const environment of ENVIRONMENTS) {
          const [before, after] = change(environment);
          const path = await aFeatureWith(before);
          const { status, body } = await api.put(path, { guards: after }, person);
          const place = `${name} ${title} in ${environment}: ${JSON.stringify(body)}`;
          expect(status, place).to.equal(await statusOf(person, environment));
          expect(await guardsOf(path), place).to.deep.equal(status === 200 ? after : before);
        }
    });

  it('are set at the creation of a feature by the same rule', async () => {
    for (const [name, person] of Object.entries(people))
      for (const environment of ENVIRONMENTS) {
        const expected = await statusOf(person, environment);
        features += 1;
        const feature = { name: `new-${features}`, guards: [guard([environment])] };
        const { status } = await api.post(`${PROJECT}/features`, feature, person);
        expect(status, `${name} in ${environment}`).to.equal(expected === 200 ? 201 : expected);
        const { status: found } = await api.get(`${PROJECT}/features/new-${features}`);
        expect(found).to.equal(expected === 200 ? 200 : 404);
      }
  });

  it('leave what does not act to everybody who may edit the feature', async () => {
    const path = await aFeatureWith([guard(['guarded'])]);
    const kept = [guard(['guarded']), guard([], { metric: 'other' })];
    for (const person of Object.values(people)) {
      expect((await api.put(path, { guards: kept.toReversed() }, person)).status).to.equal(200);
      expect((await api.put(path, { guards: kept, description: 'new' }, person)).status).to.equal(200);
    }
  });

  it('name who has set them last in each environment', async () => {
    const path = await aFeatureWith([guard(['guarded'])]);
    const both = [guard(['guarded', 'development'])];
    expect((await api.put(path, { guards: both }, people['Editor of development'])).status).to.equal(200);
    const { rows } = await world.db.query(
      'select environment, set_by_name from guard_setters where feature_name = $1 order by environment',
      [path.split('/').at(-1)],
    );
    expect(rows).to.deep.equal([
      { environment: 'development', set_by_name: 'of-development' },
      { environment: 'guarded', set_by_name: 'admin' },
    ]);
  });

  it('name environments that exist, and the answer says what is missing', async () => {
    const path = await aFeatureWith([]);
    const set = (environment: string, who: string) =>
      api.put(path, { guards: [guard([environment])] }, people[who]);
    expect(messageOf(await set('nowhere', 'Admin'), 400)).to.include('environment nowhere');
    expect(messageOf(await set('production', 'Editor of development'), 403)).to.include(
      'UPDATE_FEATURE in the environment production of the project shop',
    );
    expect(messageOf(await set('guarded', 'Editor'), 409)).to.match(/^The environment guarded requires/);
  });

  it('act on tokens that only an owner of the project can call trusted, and no frontend token', async () => {
    const make = (body: object, who: string) =>
      api.post(
        '/api/admin/api-tokens',
        { tokenName: 'server', environment: 'production', ...body },
        people[who],
      );
    const ofShop = { projects: ['shop'], trusted: true };
    expect((await make({ ...ofShop, type: 'client' }, 'Owner')).body).to.include({ trusted: true });
    expect((await make({ ...ofShop, type: 'client', trusted: false }, 'Owner')).body).to.include({
      trusted: false,
    });
    expect((await make({ ...ofShop, type: 'client' }, 'Editor')).status).to.equal(403);
    expect((await make({ type: 'client', trusted: true }, 'Owner')).status).to.equal(403);
    for (const type of ['frontend', 'admin', 'scan'])
      expect(messageOf(await make({ type, trusted: true }, 'Admin'), 400)).to.include('Only a client token');
  });

  async function makePeople(): Promise<Record<string, Person>> {
    const root = async (role: 'Admin' | 'Editor'): Promise<Person> => ({
      token: (await aUser(api, role, role.toLowerCase())).token,
      isAdmin: role === 'Admin',
      environments: ENVIRONMENTS,
    });
    const ofProject = async (role: string, environments: readonly Environment[]): Promise<Person> => {
      const user = `of-${environments.join('-')}${role === 'Owner' ? '-owner' : ''}`;
      const { token } = await aUser(api, 'None', user);
      const limited = environments.length === ENVIRONMENTS.length ? [] : environments;
      await api.post(`${PROJECT}/access`, { user, role, environments: limited });
      return { token, isAdmin: false, environments };
    };
    const { body } = await api.post('/api/admin/api-tokens', {
      tokenName: 'deploy',
      type: 'admin',
      projects: ['shop'],
      environment: 'production',
    });
    const { secret } = body as { secret: string };
    return {
      Admin: await root('Admin'),
      Editor: await root('Editor'),
      Owner: await ofProject('Owner', ENVIRONMENTS),
      'Editor of the project': await ofProject('Editor', ENVIRONMENTS),
      'Editor of development': await ofProject('Editor', ['development']),
      'ADMIN token of production': { token: secret, isAdmin: false, environments: ['production'] },
    };
  }

  /** The same as if the person turns a feature off there. */
  async function statusOf({ token, isAdmin, environments }: Person, environment: Environment) {
    const path = await aFeatureWith([]);
    const { status } = await api.post(`${path}/environments/${environment}/off`, undefined, { token });
    const expected = !environments.includes(environment)
      ? 403
      : environment === 'guarded' && !isAdmin
        ? 409
        : 200;
    expect(status, `turns off in ${environment}`).to.equal(expected);
    return status;
  }

  /** Made by an Admin. Returns its path. */
  async function aFeatureWith(guards: readonly Guard[]): Promise<string> {
    features += 1;
    const name = `f-${features}`;
    const { status } = await api.post(`${PROJECT}/features`, { name, guards }, people['Admin']);
    expect(status).to.equal(201);
    return `${PROJECT}/features/${name}`;
  }

  async function guardsOf(path: string): Promise<unknown> {
    return ((await api.get(path)).body as { guards: unknown }).guards;
  }
});

function messageOf({ status, body }: Answer, expected: number): string {
  expect(status).to.equal(expected);
  return (body as { message: string }).message;
}
