import { notValid } from '../../denial.ts';
import { compileGuard, compileQuery } from '#base/schema';
import { IN_PROJECT, type Need } from '../../http/access/scope.ts';
import { type Operation, nameParameter, withBody } from '../../http/operation.ts';
import { LongList } from '../../http/answers/stream-list.ts';
import { Versioned, requireVersionRead } from '../../http/answers/versions.ts';
import { type StateChange, stateChangeSchema } from './body-schemas.ts';
import { CHANGE_REQUEST, DIFFERENCES, PATH, SUMMARY, addressed, changedRequest } from './paths.ts';
import { changeRequestSchema, changeRequestsSchema, differencesSchema } from './schema.ts';
import type { ChangeRequests } from './store.ts';

/** Operations that read change requests and change their state. */
export function changeRequestOperations(changeRequests: ChangeRequests): Operation[] {
  return [
    listChangeRequests(changeRequests),
    getChangeRequest(changeRequests),
    differencesOfRequest(changeRequests),
    changeState(changeRequests),
    {
      id: 'discardChangeRequest',
      scope: IN_PROJECT,
      method: 'delete',
      path: `${PATH}/{id}`,
      tag: 'Change requests',
      summary: 'Discard a draft of the caller',
      permission: 'EDIT_CHANGE_REQUEST',
      ifMatch: 'optional',
      answer: { status: 200, description: 'The change request is deleted.' },
      problems: [404],
      run: (request) => changeRequests.discard(addressed(request)),
    },
  ];
}

function listChangeRequests(changeRequests: ChangeRequests): Operation {
  return {
    id: 'listChangeRequests',
    scope: IN_PROJECT,
    queue: 'lists',
    method: 'get',
    path: PATH,
    tag: 'Change requests',
    summary:
      'Change requests of a project without their payloads, newest first; drafts of others are left out',
    permission: 'READ',
    answer: {
      status: 200,
      description: 'The change requests.',
      schema: changeRequestsSchema,
      example: [SUMMARY],
    },
    problems: [404],
    async run(request) {
      const project = nameParameter(request, 'projectId');
      const found = await changeRequests.list({ project, caller: request.caller });
      return new LongList(found, { head: '[', tail: () => ']' });
    },
  };
}

function getChangeRequest(changeRequests: ChangeRequests): Operation {
  return {
    id: 'getChangeRequest',
    scope: IN_PROJECT,
    method: 'get',
    path: `${PATH}/{id}`,
    tag: 'Change requests',
    summary: 'One change request',
    permission: 'READ',
    isVersioned: true,
    answer: {
      status: 200,
      description: 'The change request.',
      schema: changeRequestSchema,
      example: CHANGE_REQUEST,
    },
    problems: [404],
    async run(request) {
      const { project, id, caller } = addressed(request);
      const found = await changeRequests.find(id, { project, caller });
      return new Versioned(found.version, found);
    },
  };
}

type DifferencesQuery = { readonly since: number };

const differencesQuery = compileQuery<DifferencesQuery>({
  type: 'object',
  properties: {
    since: {
      type: 'integer',
      minimum: 1,
      maximum: 2 ** 31 - 1,
      default: 1,
      description: 'A version that was read.',
    },
  },
});

function differencesOfRequest(changeRequests: ChangeRequests): Operation<DifferencesQuery> {
  return {
    id: 'getChangeRequestDifferences',
    scope: IN_PROJECT,
    method: 'get',
    path: `${PATH}/{id}/differences`,
    tag: 'Change requests',
    summary: 'What edits have changed in a submitted change request since a version was read',
    permission: 'READ',
    query: differencesQuery,
    answer: {
      status: 200,
      description: 'The differences; none if only others than title and changes differ.',
      schema: differencesSchema,
      example: DIFFERENCES,
    },
    problems: [404],
    async run(request) {
      const { project, id, caller } = addressed(request);
      const { since } = request.query;
      return changeRequests.findDifferences(id, since, { project, caller });
    },
  };
}

const isStateChange = compileGuard<StateChange>(stateChangeSchema);

/** Anybody who edits change requests may submit them. To decide on them and to apply them are permissions of their own. */
function needsOfState(body: unknown): Need[] {
  if (!isStateChange(body)) return [];
  switch (body.state) {
    case 'Approved':
    case 'Rejected':
      return [{ permission: 'APPROVE_CHANGE_REQUEST', within: 'change request' }];
    case 'Scheduled':
    case 'Applied':
      return [{ permission: 'APPLY_CHANGE_REQUEST', within: 'change request' }];
    default:
      return [];
  }
}

function changeState(changeRequests: ChangeRequests): Operation {
  return {
    id: 'changeChangeRequestState',
    scope: { project: 'path', needsOf: needsOfState },
    method: 'put',
    path: `${PATH}/{id}/state`,
    tag: 'Change requests',
    summary:
      'Submit, approve, reject, cancel, schedule or apply a change request. To approve, reject, schedule or apply, send If-Match with the ETag that was read',
    permission: 'EDIT_CHANGE_REQUEST',
    isVersioned: true,
    ifMatch: 'needed',
    body: {
      schema: stateChangeSchema,
      example: { state: 'Scheduled', scheduledAt: '2036-12-01T06:00:00.000Z', comment: 'before the rush' },
    },
    answer: {
      status: 200,
      description: 'The change request as it is now.',
      schema: changeRequestSchema,
      example: CHANGE_REQUEST,
    },
    problems: [404, 409],
    run: withBody(isStateChange, async (request, change) => {
      if (change.scheduledAt !== undefined) checkSchedule(change, change.scheduledAt);
      if (DECISIONS.has(change.state)) requireVersionRead(request);
      return changedRequest(await changeRequests.changeState(addressed(request), change));
    }),
  };
}

/** A decision is accepted only from a caller who has read the current version. */
const DECISIONS: ReadonlySet<StateChange['state']> = new Set([
  'Approved',
  'Rejected',
  'Scheduled',
  'Applied',
]);

function checkSchedule({ state }: StateChange, scheduledAt: string): void {
  if (state !== 'Scheduled') throw notValid('scheduledAt goes with the state Scheduled only.');
  if (Date.parse(scheduledAt) <= Date.now()) throw notValid('scheduledAt must be in the future.');
}
