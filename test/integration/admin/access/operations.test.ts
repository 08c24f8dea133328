import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createTokens } from '#auth';
import {
  type AdminWorld,
  type Answer,
  aUser,
  createAdminWorld,
  exampleCalls,
} from '../../../support/admin.ts';
import { type Where, comparable, fillProject, outcomeOf, pathTo } from '../../../support/admin-api/places.ts';
import { type AccessRow, accessTable, documentedAccess } from '../../../support/documents/access-table.ts';
import { ADMIN_TOKEN } from '../../../support/world.ts';

type Caller = { readonly title: string; readonly token: string; readonly sees: 'all' | 'own' | 'nothing' };
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
    for (const example of exampleCalls(world.api)) {
      const bodies = BODIES[example.id] ?? ((): Variants => ({ '': example.body as Body }));
      for (const variant of Object.keys(bodies('own'))) {
        const isAllowed: boolean[] = [];
        for (const { token, title, sees } of callers) {
          const at = (where: Where) => ask(world, example, { token, where, body: bodies(where)[variant] });
          const answers = { own: await at('own'), other: await at('other'), nowhere: await at('nowhere') };
          isAllowed.push(outcomeOf(answers.own) === 'allowed');
          if (sees !== 'all') {
            const place = `${example.id} ${variant} by ${title}`;
            if (sees === 'own') expect(outcomeOf(answers.own), place).to.not.equal('hidden');
            expect(comparable(answers.other), place).to.deep.equal(comparable(answers.nowhere));
            if (IN_PROJECT.test(whereOf(world, example)))
              expect(outcomeOf(answers.other), place).to.equal('hidden');
          } else expect(outcomeOf(answers.other)).to.equal(outcomeOf(answers.own));
        }
        rows.push({ ...describeOf(world, example, variant), isAllowed });
      }
    }
    const table = accessTable(
      callers.map(({ title }) => title),
      rows,
    );
    expect(documentedAccess(table)).to.equal(table);
  });
});

async function callersOf(world: AdminWorld): Promise<Caller[]> {
  const { api, db } = world;
  const root = async (role: 'Admin' | 'Editor' | 'Viewer' | 'None'): Promise<Caller> => {
    const { token } = await aUser(api, role, `root-${role.toLowerCase()}`);
    return { title: role, token, sees: role === 'None' ? 'nothing' : 'all' };
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
    return { title: `${role} of the project${limit}`, token, sees: 'own' };
  };
  const secret = `[]:*.${randomUUID().replaceAll('-', '')}`;
  await createTokens(db).create({
    ...{
      secret,
      name: 'deploy',
      type: 'admin',
      environment: '*',
      projects: ['own', 'spare'],
      expiresAt: undefined,
    },
  });
  return [
    { title: 'ADMIN token', token: ADMIN_TOKEN, sees: 'all' },
    await root('Admin'),
    await root('Editor'),
    await root('Viewer'),
    await root('None'),
    await ofProject('Owner'),
    await ofProject('Editor'),
    await ofProject('Editor', ['development']),
    await ofProject('Viewer'),
    await ofProject('Approver'),
    { title: 'ADMIN token of the project', token: secret, sees: 'own' },
  ];
}

type Question = { readonly token: string; readonly where: Where; readonly body: Body | undefined };

async function ask(world: AdminWorld, example: Example, { token, where, body }: Question): Promise<Answer> {
  const headers = example.headers.includes('If-Match') ? { 'if-match': '"999"' } : {};
  const path = await pathTo(world, example.id, { project: where, things: where });
  return world.api.call(example.method, path, { token, body, headers });
}

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
