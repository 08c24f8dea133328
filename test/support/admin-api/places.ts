import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { createTokens } from '#base/auth';
import { type AdminWorld, type Answer, NOTHING, aFeature } from './admin.ts';

/** A project of the callers, another one, and one that does not exist. */
export type Where = 'own' | 'other' | 'nowhere';

/** The project that a path names, and whose features and other things it names. */
export type Named = { readonly project: Where; readonly things: Where };

/** Gives a project a feature, a change request and a verdict. */
export async function fillProject({ api, db }: AdminWorld, project: string): Promise<void> {
  await aFeature(api, `${project}-flag`, project);
  const added = await api.post(`/api/admin/projects/${project}/environments/production/change-requests`, {
    changes: [{ feature: `${project}-flag`, action: 'updateEnabled', payload: { enabled: true } }],
  });
  expect(added.status).to.equal(200);
  await db.query(
    `insert into verdicts (subject_type, subject, environment, verdict, sentence, since, ended_at)
     values ('feature', $1, 'production', 'always_on', 'It is on.', now(), now())`,
    [`${project}-flag`],
  );
}

/** The path of an operation. Things that are nowhere get names and ids that nothing has. */
export async function pathTo(
  world: AdminWorld,
  operation: string,
  { project, things }: Named,
): Promise<string> {
  const template = templateOf(world.api, operation);
  const { request, change, verdict } = /\{(id|changeId|verdictId)\}/.test(template)
    ? await idsIn(world, things)
    : NO_IDS;
  const names: Readonly<Record<string, string>> = {
    projectId: project,
    featureName: `${things}-flag`,
    toggleName: `${things}-flag`,
    environment: 'production',
    id: request,
    changeId: change,
    verdictId: verdict,
    roleName: 'Visitor',
    tokenId: operation === 'revokeApiToken' ? await aTokenOf(world, [things]) : randomUUID(),
    strategyId: randomUUID(),
    sessionId: randomUUID(),
  };
  return template.replaceAll(/\{(\w+)\}/g, (_, name: string) => names[name] ?? NOTHING);
}

const NO_IDS = { request: NOTHING, change: NOTHING, verdict: NOTHING };

/** The latest change request of a project, its latest change, and the latest verdict. */
export async function idsIn({ db }: AdminWorld, project: Where) {
  const { rows } = await db.query<Record<'request' | 'change' | 'verdict', string | null>>(
    `select
       (select max(id)::text from change_requests where project = $1) as request,
       (
         select max(c.id)::text
         from change_request_events as c
         join change_requests as r on r.id = c.change_request_id
         where r.project = $1
       ) as change,
       (select max(id)::text from verdicts where subject = $1 || '-flag') as verdict`,
    [project],
  );
  const { request, change, verdict } = rows[0] ?? {};
  return { request: request ?? NOTHING, change: change ?? NOTHING, verdict: verdict ?? NOTHING };
}

/** The id of a new token, because whoever may revoke one does. One that is nowhere has an id that no token has. */
export async function aTokenOf({ db }: AdminWorld, projects: readonly Where[]): Promise<string> {
  if (projects.includes('nowhere')) return randomUUID();
  const secret = `[]:production.${randomUUID().replaceAll('-', '')}`;
  const token = { secret, name: 'edge', type: 'client', environment: 'production' } as const;
  return (await createTokens(db).create({ ...token, projects, expiresAt: undefined }))?.id ?? '';
}

export function templateOf({ document }: AdminWorld['api'], operation: string): string {
  const found = Object.entries(document.paths).find(([, methods]) =>
    Object.values(methods).some(({ operationId }) => operationId === operation),
  );
  return found?.[0] ?? '';
}

/** `hidden` is the answer for what does not exist. */
export function outcomeOf({ status, body }: Answer): 'allowed' | 'refused' | 'hidden' {
  const { message = '' } = (body ?? {}) as { message?: string };
  if (status === 403 && message.startsWith('This needs the permission')) return 'refused';
  if (status === 404 && message === 'There is no resource with this name.') return 'hidden';
  // Without SECRETS_KEY, no notification can be stored.
  expect(status).not.to.be.oneOf(message.includes('SECRETS_KEY') ? [401] : [401, 500, 503]);
  return 'allowed';
}

/** Without the id of the answer, which is random, and without names that the caller has sent. */
export function comparable({ status, body }: Answer): unknown {
  const text = JSON.stringify(body ?? null).replaceAll(/other|nowhere/g, 'there');
  const { id: _, ...rest } = (JSON.parse(text) ?? {}) as Record<string, unknown>;
  return status >= 400 ? { status, ...rest } : { status };
}
