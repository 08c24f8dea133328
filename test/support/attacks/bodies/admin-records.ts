import { randomUUID } from 'node:crypto';
import { type AdminWorld, aFeature, aUser } from '../../admin-api/admin.ts';
import { aTokenOf, fillProject, templateOf } from '../../admin-api/places.ts';
import { ADMIN_TOKEN } from '../../world.ts';

/** How a body reaches an operation: a path that names existing records, and who sends it. */
export type Reaching = {
  readonly path: string;
  readonly authorization: string;
  readonly headers: Readonly<Record<string, string>>;
};

const PROJECT = '/api/admin/projects/own';
/** Names in the examples of the document. */
const OTHER_PROJECT = 'shop';
const USER = 'ana@example.org';
const STRATEGY = '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11';

/**
 * Makes the records that the paths of the admin API name. The result returns how a body reaches an operation. What an operation may
 * change, such as a feature, is a new one each time.
 */
export async function createRecords(world: AdminWorld): Promise<(operation: string) => Promise<Reaching>> {
  const { api, db } = world;
  for (const id of ['own', OTHER_PROJECT]) await api.post('/api/admin/projects', { id, name: id });
  await fillProject(world, 'own');
  await api.post('/api/admin/user-admin', { email: USER, rootRole: 'Viewer' });
  await api.post('/api/admin/strategies', { name: 'custom', parameters: [] });
  const notification = await idOf(api.post('/api/admin/notifications', exampleOf(api, 'createNotification')));
  const { rows } = await db.query<{ id: string }>('select max(id)::text as id from verdicts');

  return async (operation) => {
    const template = templateOf(api, operation);
    const feature = `flag-${randomUUID()}`;
    if (template.includes('{featureName}') || template.includes('{id}')) await aFeature(api, feature, 'own');
    if (template.includes('/clean-ups/'))
      await db.query('insert into clean_ups (feature_name) values ($1)', [feature]);
    const headers: Record<string, string> = {};
    const withVersionOf = async (path: string): Promise<void> => {
      const etag = (await api.get(path)).headers.get('etag');
      if (etag !== null) headers['if-match'] = etag;
    };
    const names: Record<string, string> = {
      projectId: 'own',
      featureName: feature,
      environment: 'production',
      roleName: 'Visitor',
      strategyName: 'custom',
      notificationId: notification,
      verdictId: rows[0]?.id ?? '',
    };
    if (template.includes('{id}')) Object.assign(names, await aChangeRequest(world, feature));
    if (template.includes('{strategyId}') || template.endsWith('/set-sort-order'))
      names['strategyId'] = await idOf(
        api.post(`${PROJECT}/features/${feature}/environments/production/strategies`, { name: 'default' }),
      );
    if (names['strategyId'] !== undefined) {
      await db.query(
        `update feature_environments
         set strategies = replace(strategies::text, $1, $2)::jsonb
         where feature_name = $3`,
        [names['strategyId'], STRATEGY, feature],
      );
      names['strategyId'] = STRATEGY;
    }
    if (template.includes('{tokenId}')) names['tokenId'] = await aTokenOf(world, ['own']);
    const user = /\{userId\}|\/user\//.test(template)
      ? await aUser(api, 'Editor', `user-${randomUUID()}`)
      : undefined;
    names['userId'] = String(user?.id);
    const path = template.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? '');
    if (template.includes('/change-requests/{id}') && comparesVersions(api, operation))
      await withVersionOf(`${PROJECT}/change-requests/${names['id'] ?? ''}`);
    return {
      path,
      authorization: template.startsWith('/api/admin/user/') ? (user?.token ?? '') : ADMIN_TOKEN,
      headers,
    };
  };
}

async function aChangeRequest(
  { api }: AdminWorld,
  feature: string,
): Promise<{ id: string; changeId: string }> {
  const changes = [{ feature, action: 'updateEnabled', payload: { enabled: true } }];
  const { body } = await api.post(`${PROJECT}/environments/production/change-requests`, { changes });
  const { id, features } = body as { id: number; features: { changes: { id: number }[] }[] };
  return { id: String(id), changeId: String(features.at(-1)?.changes.at(-1)?.id) };
}

/** The example of the body of an operation. */
function exampleOf(api: AdminWorld['api'], operation: string): unknown {
  return documented(api, operation)?.requestBody?.content['application/json'].example;
}

function comparesVersions(api: AdminWorld['api'], operation: string): boolean {
  return documented(api, operation)?.parameters.some(({ name }) => name === 'If-Match') ?? false;
}

function documented({ document }: AdminWorld['api'], operation: string) {
  const operations = Object.values(document.paths).flatMap((methods) => Object.values(methods));
  return operations.find(({ operationId }) => operationId === operation);
}

async function idOf(answer: Promise<{ readonly body: unknown }>): Promise<string> {
  return String(((await answer).body as { id?: string | number }).id);
}
