import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createTokens } from '#base/auth';
import {
  type AdminWorld,
  type Answer,
  aUser,
  createAdminWorld,
  exampleCalls,
} from '../../../../support/admin-api/admin.ts';
import {
  type Where,
  comparable,
  fillProject,
  outcomeOf,
  pathTo,
  templateOf,
} from '../../../../support/admin-api/places.ts';
import { type AccessRow, accessTable, documentedAccess } from '../../../../support/documents/access-table.ts';
import { isNight, someByDay } from '../../../../support/nightly.ts';
import { ADMIN_TOKEN } from '../../../../support/world.ts';

type Caller = {
  readonly title: string;
  readonly token: string;
  readonly sees: 'all' | 'own' | 'nothing';
  /** By day, some callers with a role in the project only ask for things of their own one. */
  readonly asksElsewhere: boolean;
};
type Example = ReturnType<typeof exampleCalls>[number];
type Body = Record<string, unknown>;
type Variants = Readonly<Record<string, Body>>;

/** The bodies on which the needed permissions depend. */
const BODIES: Readonly<Record<string, (where: Where) => Variants>> = {
  moveFeature: (where) => ({ '': { newProjectId: where === 'own' ? 'spare' : where } }),
  changeChangeRequestState: () => ({
    'to submit': { state: 'In review' },
    'to approve or reject': { state: 'Approved' },
    'to schedule or apply': { state: 'Applied' },
  }),
  createApiToken: (where) => ({
    'of a project': { tokenName: 'edge', type: 'client', environment: 'production', projects: [where] },
    'of all projects': { tokenName: 'edge', type: 'client', environment: 'production' },
    'with the type ADMIN': { tokenName: 'edge', type: 'admin', projects: [where] },
  }),
};

describe('the permissions of operations', function () {
  this.timeout(600_000);
  let world: AdminWorld;
  let callers: Caller[];
  before(async () => {
    world = await createAdminWorld();
    const { api } = world;
    for (const id of ['own', 'spare', 'other']) await api.post('/api/admin/projects', { id, name: id });
    for (const project of ['own', 'other']) await fillProject(world, project);
    await api.put('/api/admin/roles/Approver', {
      permissions: ['READ', 'EDIT_CHANGE_REQUEST', 'APPROVE_CHANGE_REQUEST'],
    });
    callers = await callersOf(world);
  });
  after(() => world.dispose());

  it('are those that the document lists, and projects of others look as if they did not exist', async () => {
    const rows: AccessRow[] = [];
    const all = exampleCalls(world.api);
    const asked = someByDay(all, 1 / 3, (example) => whereOf(world, example));
    for (const example of asked) {
      const bodies = BODIES[example.id] ?? ((): Variants => ({ '': example.body as Body }));
      for (const variant of Object.keys(bodies('own'))) {
        const isAllowed: boolean[] = [];
        const isSameEverywhere =
          !NAMES_PLACE.test(templateOf(world.api, example.id)) && BODIES[example.id] === undefined;
        for (const { token, title, sees, asksElsewhere } of callers) {
          const at = (where: Where) => ask(world, example, { token, where, body: bodies(where)[variant] });
          const own = outcomeOf(await at('own'));
          isAllowed.push(own === 'allowed');
          const place = `${example.id} ${variant} by ${title}`;
          if (sees === 'own') expect(own, place).to.not.equal('hidden');
          if (isSameEverywhere || !asksElsewhere) continue;
          const other = await at('other');
          if (sees === 'all') expect(outcomeOf(other), place).to.equal(own);
          else {
            expect(comparable(other), place).to.deep.equal(comparable(await at('nowhere')));
            if (IN_PROJECT.test(whereOf(world, example))) expect(outcomeOf(other), place).to.equal('hidden');
          }
        }
        rows.push({ ...describeOf(world, example, variant), isAllowed });
      }
    }
    const table = accessTable(
      callers.map(({ title }) => title),
      rows,
    );
    const [head = '', ...lines] = documentedAccess(table).split('\n').filter(Boolean);
    expect(new Set(lines.map(operationIn))).to.deep.equal(new Set(all.map(({ id }) => id)));
    const ofAsked = lines.filter((line) => asked.some(({ id }) => id === operationIn(line)));
    expect(table.split('\n').filter(Boolean)).to.deep.equal([head, ...ofAsked]);
  });
});

/** Of a line of the table. A word about its body may follow. */
function operationIn(line: string): string {
  return /^\w+/.exec(line)?.[0] ?? '';
}

async function callersOf(world: AdminWorld): Promise<Caller[]> {
  const { api, db } = world;
  const root = async (role: 'Admin' | 'Editor' | 'Viewer' | 'None'): Promise<Caller> => {
    const { token } = await aUser(api, role, `root-${role.toLowerCase()}`);
    return { title: role, token, sees: role === 'None' ? 'nothing' : 'all', asksElsewhere: true };
  };
  const ofProject = async (role: string, environments: string[] = []): Promise<Caller> => {
    const username = `of-${role.toLowerCase()}-${environments.join('')}`;
    const { token } = await aUser(api, 'None', username);
    for (const project of ['own', 'spare']) {
      const granted = await api.post(`/api/admin/projects/${project}/access`, {
        user: username,
        role,
        environments,
      });
      expect(granted.status).to.equal(200);
    }
    const limit = environments.length === 0 ? '' : `, ${environments.join(', ')} only`;
    const asksElsewhere = isNight() || role === 'Owner' || role === 'Viewer';
    return { title: `${role} of the project${limit}`, token, sees: 'own', asksElsewhere };
  };
  const secret = `[]:*.${randomUUID().replaceAll('-', '')}`;
  await createTokens(db).create({
    secret,
    name: 'deploy',
    type: 'admin',
    environment: '*',
    projects: ['own', 'spare'],
    expiresAt: undefined,
  });
  return [
    { title: 'ADMIN token', token: ADMIN_TOKEN, sees: 'all', asksElsewhere: true },
    await root('Admin'),
    await root('Editor'),
    await root('Viewer'),
    await root('None'),
    await ofProject('Owner'),
    await ofProject('Editor'),
    await ofProject('Editor', ['development']),
    await ofProject('Viewer'),
    await ofProject('Approver'),
    { title: 'ADMIN token of the project', token: secret, sees: 'own', asksElsewhere: true },
  ];
}

type Question = { readonly token: string; readonly where: Where; readonly body: Body | undefined };

async function ask(world: AdminWorld, example: Example, { token, where, body }: Question): Promise<Answer> {
  const headers = example.headers.includes('If-Match') ? { 'if-match': '"999"' } : {};
  const path = await pathTo(world, example.id, { project: where, things: where });
  return world.api.call(example.method, path, { token, body, headers });
}

/** Templates whose paths differ from project to project. */
const NAMES_PLACE = /\{(projectId|featureName|toggleName|id|changeId|verdictId|tokenId)\}/;

/** Operations that are about one project, and not about one that the body names. */
const IN_PROJECT = /^in (the project|the environment of the project|every environment of the project)$/;

function whereOf(world: AdminWorld, example: Example): string {
  return describeOf(world, example, '').where;
}

function describeOf({ api }: AdminWorld, { id }: Example, variant: string): Omit<AccessRow, 'isAllowed'> {
  const operation = Object.values(api.document.paths)
    .flatMap((methods) => Object.values(methods))
    .find(({ operationId }) => operationId === id) as unknown as { description: string };
  const [, permission = '', where = ''] = /^Permission: (\w+), (.+)\.$/.exec(operation.description) ?? [];
  return { operation: `${id}${variant === '' ? '' : ` ${variant}`}`, permission, where };
}
