import { expect } from 'chai';
import { PROJECT_PERMISSIONS } from '#base/tokens';
import {
  type AdminWorld,
  aUser,
  createAdminWorld,
  exampleCalls,
  versionIn,
} from '../../../../support/admin-api/admin.ts';
import { fillProject, outcomeOf, pathTo } from '../../../../support/admin-api/places.ts';
import { someByDay } from '../../../../support/nightly.ts';

type Example = ReturnType<typeof exampleCalls>[number];

/** Their bodies ask for further permissions, which the table of operations and roles lists. */
const ASKS_FOR_MORE = ['moveFeature', 'changeChangeRequestState', 'createApiToken', 'revokeApiToken'];

/** For every operation of a project that the document lists, and every permission of a role. */
describe('an operation of a project', function () {
  this.timeout(600_000);
  let world: AdminWorld;
  const tokens = new Map<string, string>();
  before(async () => {
    world = await createAdminWorld();
    const { api } = world;
    await api.post('/api/admin/projects', { id: 'own', name: 'own' });
    await fillProject(world, 'own');
    for (const permission of PROJECT_PERMISSIONS) {
      await give(
        `all but ${permission}`,
        PROJECT_PERMISSIONS.filter((other) => other !== permission),
      );
      await give(`only ${permission}`, [...new Set(['READ', 'READ_NAMES', permission])]);
    }
  });
  after(() => world.dispose());

  async function give(role: string, permissions: readonly string[]): Promise<void> {
    const { api } = world;
    expect((await api.put(`/api/admin/roles/${encodeURIComponent(role)}`, { permissions })).status).to.equal(
      200,
    );
    const username = role.replaceAll(/[^A-Za-z]/g, '-');
    const { token } = await aUser(api, 'None', username);
    const granted = await api.post('/api/admin/projects/own/access', { user: username, role });
    expect(granted.status).to.equal(200);
    tokens.set(role, token);
  }

  function needOf({ id }: Example): { readonly permission: string; readonly where: string } {
    const operation = Object.values(world.api.document.paths)
      .flatMap((methods) => Object.values(methods))
      .find(({ operationId }) => operationId === id);
    const [, permission = '', where = ''] =
      /^Permission: (\w+), (.+)\.$/.exec(operation?.description ?? '') ?? [];
    return { permission, where };
  }

  async function ask(example: Example, role: string) {
    const path = await pathTo(world, example.id, { project: 'own', things: 'own' });
    const token = tokens.get(role) ?? '';
    return outcomeOf(
      await world.api.call(example.method, path, { token, body: example.body, headers: versionIn(example) }),
    );
  }

  it('is refused to whoever lacks exactly its permission, and to nobody who has no other', async () => {
    const ofProject = exampleCalls(world.api).filter((example) => /the project/.test(needOf(example).where));
    const needed = new Set(ofProject.map((example) => needOf(example).permission));
    expect(ofProject.length).to.be.above(40);
    expect([...PROJECT_PERMISSIONS]).to.include.members([...needed]);
    const asked = someByDay(ofProject, 1 / 3, (example) => needOf(example).permission);
    // Those who lack it first, because they change nothing that the others need.
    for (const example of asked) {
      const { permission } = needOf(example);
      const outcome = permission === 'READ' ? 'hidden' : 'refused';
      expect(await ask(example, `all but ${permission}`), `${example.id} without ${permission}`).to.equal(
        outcome,
      );
    }
    for (const example of asked) {
      const { permission } = needOf(example);
      if (ASKS_FOR_MORE.includes(example.id)) continue;
      // What others have deleted meanwhile is not found, which is no matter of permissions.
      expect(await ask(example, `only ${permission}`), `${example.id} with ${permission}`).to.not.equal(
        'refused',
      );
    }
  });

  it('has a body that names no other place, unless the test of second projects asks for one there', () => {
    const { paths, components } = world.api.document;
    const named = Object.entries(paths)
      .filter(([path]) => path.startsWith('/api/admin/'))
      .flatMap(([, methods]) => Object.values(methods))
      .flatMap((operation) => {
        const { requestBody } = operation as { requestBody?: object };
        return [...new Set(membersIn(requestBody, components.schemas))]
          .filter((name) => PLACES.test(name))
          .map((name) => `${operation.operationId} ${name}`);
      });
    expect(named.sort()).to.deep.equal(KNOWN);
  });
});

const PLACES = /^(new)?(project|environment|feature|turnOff)/i;

/** Tested in second-project.test.ts, guards.test.ts, environments.test.ts and taking.test.ts; the others are for the whole installation. */
const KNOWN: readonly string[] = [
  'addChanges feature',
  'createApiToken environment',
  'createApiToken projects',
  'createFeature turnOff',
  'createNotification project',
  'grantAccess environments',
  'moveFeature newProjectId',
  'pushCodeReferences featureName',
  'updateFeature turnOff',
  'updateNotification project',
];

/** The names of all members of the objects that a schema describes. */
function* membersIn(
  schema: unknown,
  schemas: Readonly<Record<string, object>>,
  seen = new Set<string>(),
): Generator<string> {
  if (typeof schema !== 'object' || schema === null) return;
  for (const [name, value] of Object.entries(schema)) {
    if (name === 'example' || name === 'examples') continue;
    if (name === 'properties') yield* Object.keys(value as object);
    if (name === '$ref' && !seen.has(String(value))) {
      seen.add(String(value));
      yield* membersIn(schemas[String(value).split('/').at(-1) ?? ''], schemas, seen);
    }
    yield* membersIn(value, schemas, seen);
  }
}
