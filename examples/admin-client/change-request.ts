/**
 * The whole life of a change request, by a client that is generated from the document of a running flagmeter:
 *
 *   npx @hey-api/openapi-ts --input http://127.0.0.1:4242/docs/openapi.json --output client
 *   FLAGMETER_URL=http://127.0.0.1:4242 ADMIN_TOKEN='*:*.only-an-example-secret-for-admins' npx tsx change-request.ts
 */
import { type Client, createClient } from './client/client/index.ts';
import {
  type ChangeRequest,
  type StateChange,
  addChanges,
  changeChangeRequestState,
  commentOnChangeRequest,
  createFeature,
  createPersonalTokenOfUser,
  createUser,
  editChange,
  getChangeRequest,
  getFeature,
  listChangeRequests,
  listFeatureEvents,
  takeOverPersonalToken,
} from './client/index.ts';

/** Whose token is sent; what fails is thrown. */
type Caller = { client: Client; throwOnError: true };

const projectId = 'default';
const environment = 'production';
const featureName = `example-${Date.now()}`;

const admin = callerWith(process.env['ADMIN_TOKEN'] ?? '');
const ana = await aUser(`ana-${featureName}`);
const ben = await aUser(`ben-${featureName}`);

await createFeature({ ...ana, path: { projectId }, body: { name: featureName, type: 'release' } });

const draft = await addChanges({
  ...ana,
  path: { projectId, environment },
  body: {
    title: `Switch ${featureName} on`,
    changes: [{ feature: featureName, action: 'updateEnabled', payload: { enabled: false } }],
  },
});
const id = String(draft.data.id);
const path = { projectId, id };
show(draft.data);

const change = draft.data.features[0]?.changes[0];
if (change === undefined) throw new Error('the change request has no change');
await editChange({
  ...ana,
  path: { ...path, changeId: String(change.id) },
  body: { action: 'updateEnabled', payload: { enabled: true } },
});
await commentOnChangeRequest({ ...ana, path, body: { text: 'Not on a Friday.' } });
await lead(ana, { state: 'In review' });

const read = await getChangeRequest({ ...ana, path });
const denied = await changeChangeRequestState({
  client: ana.client,
  path,
  headers: { 'If-Match': versionIn(read.response) },
  body: { state: 'Approved' },
});
console.log(`its author may not approve it: ${denied.error?.name}`);

// Whoever decides names the version that was read: after another edit it would be rejected with 412.
await lead(ben, { state: 'Approved', comment: 'Looks good.' });
await lead(ben, { state: 'Scheduled', scheduledAt: '2099-12-01T06:00:00Z' });
await lead(ben, { state: 'Applied' });

const { data: found } = await getChangeRequest({ ...ben, path });
const { data: all } = await listChangeRequests({ ...ben, path: { projectId } });
console.log(`${found.title}: ${all.filter((one) => one.id === found.id).length} in the list`);

const { data: feature } = await getFeature({ ...ben, path: { projectId, featureName } });
const { enabled } = feature.environments.find(({ name }) => name === environment) ?? { enabled: false };
console.log(`${environment} is ${enabled ? 'on' : 'off'}`);

const { data: history } = await listFeatureEvents({ ...ben, path: { toggleName: featureName } });
for (const { type, createdBy } of history.events.reverse()) console.log(`${type} by ${createdBy}`);

function callerWith(token: string): Caller {
  const client = createClient({ baseUrl: process.env['FLAGMETER_URL'] ?? '', auth: token });
  return { client, throwOnError: true };
}

async function aUser(username: string): Promise<Caller> {
  const { data: user } = await createUser({ ...admin, body: { username, rootRole: 'Editor' } });
  const { data: token } = await createPersonalTokenOfUser({
    ...admin,
    path: { userId: String(user.id) },
    body: { description: 'example', expiresAt: inAMonth() },
  });
  // Somebody else made this token, so it could not approve. Its user replaces it.
  const { data: own } = await takeOverPersonalToken({
    ...callerWith(token.secret),
    body: { description: 'example', expiresAt: inAMonth() },
  });
  return callerWith(own.secret);
}

async function lead(caller: Caller, body: StateChange): Promise<void> {
  const read = await getChangeRequest({ ...caller, path });
  const headers = { 'If-Match': versionIn(read.response) };
  const { data } = await changeChangeRequestState({ ...caller, path, headers, body });
  show(data);
}

/** The ETag of the change request as it was read. */
function versionIn(response: Response | undefined): string {
  return response?.headers.get('ETag') ?? '';
}

function show(request: ChangeRequest): void {
  // The state distinguishes the two variants.
  const time = request.state === 'Scheduled' ? ` for ${request.schedule.scheduledAt}` : '';
  console.log(`${request.state}${time}, ${request.approvals.length} of ${request.minApprovals} approvals`);
}

function inAMonth(): string {
  return new Date(Date.now() + 30 * 86_400_000).toISOString();
}
