import type { FromSchema } from 'json-schema-to-ts';
import { compileGuard } from '#base/schema';
import { IN_ENVIRONMENT, IN_PROJECT } from '../../http/access/scope.ts';
import {
  type AdminRequest,
  type Operation,
  idParameter,
  nameParameter,
  withBody,
} from '../../http/operation.ts';
import {
  type ApprovalRule,
  type ChangeUpdate,
  type NewChanges,
  approvalRuleSchema,
  changeUpdateSchema,
  commentSchema,
  newChangesSchema,
  titleSchema,
} from './body-schemas.ts';
import { CHANGE_REQUEST, PATH, addressed, changedRequest } from './paths.ts';
import { changeRequestSchema } from './schema.ts';
import type { ChangeRequests } from './store.ts';

const COMMON = {
  tag: 'Change requests',
  permission: 'EDIT_CHANGE_REQUEST',
  scope: IN_PROJECT,
  problems: [404, 409],
  isVersioned: true,
  answer: {
    status: 200,
    description: 'The change request as it is now.',
    schema: changeRequestSchema,
    example: CHANGE_REQUEST,
  },
} as const;

const OF_ENVIRONMENT = '/api/admin/projects/{projectId}/environments/{environment}/change-requests';

/** Operations that edit the contents of a change request, and its comments. */
export function changeRequestEditOperations(changeRequests: ChangeRequests): Operation[] {
  return [
    addChanges(changeRequests),
    ...changeOperations(changeRequests),
    ...wordOperations(changeRequests),
    setRequiredApprovals(changeRequests),
  ];
}

function addChanges(changeRequests: ChangeRequests): Operation {
  return {
    ...COMMON,
    id: 'addChanges',
    method: 'post',
    path: OF_ENVIRONMENT,
    summary: 'Add changes to the open change request of the caller; creates a draft if there is none',
    body: {
      schema: newChangesSchema,
      example: {
        changes: [{ feature: 'new-basket', action: 'updateEnabled', payload: { enabled: true } }],
      },
    },
    run: withBody(compileGuard<NewChanges>(newChangesSchema), async (request, changes) =>
      changedRequest(await changeRequests.addChanges(draftKeyOf(request), changes)),
    ),
  };
}

function changeOperations(changeRequests: ChangeRequests): Operation[] {
  const path = `${PATH}/{id}/changes/{changeId}`;
  return [
    {
      ...COMMON,
      id: 'editChange',
      ifMatch: 'optional',
      method: 'put',
      path,
      summary: 'Replace the action and payload of a change; approvals are withdrawn',
      body: { schema: changeUpdateSchema, example: { action: 'updateEnabled', payload: { enabled: false } } },
      run: withBody(compileGuard<ChangeUpdate>(changeUpdateSchema), async (request, update) =>
        changedRequest(
          await changeRequests.editChange(addressed(request), idParameter(request, 'changeId'), update),
        ),
      ),
    },
    {
      ...COMMON,
      id: 'removeChange',
      ifMatch: 'optional',
      method: 'delete',
      path,
      summary: 'Remove a change; approvals are withdrawn',
      problems: [404, 409],
      run: async (request) =>
        changedRequest(
          await changeRequests.removeChange(addressed(request), idParameter(request, 'changeId')),
        ),
    },
  ];
}

function wordOperations(changeRequests: ChangeRequests): Operation[] {
  return [
    {
      ...COMMON,
      id: 'renameChangeRequest',
      ifMatch: 'optional',
      method: 'put',
      path: `${PATH}/{id}/title`,
      summary: 'Give a change request a title; approvals are withdrawn',
      body: { schema: titleSchema, example: { title: 'Switch the new basket on' } },
      run: withBody(compileGuard<FromSchema<typeof titleSchema>>(titleSchema), async (request, { title }) =>
        changedRequest(await changeRequests.rename(addressed(request), title)),
      ),
    },
    {
      ...COMMON,
      id: 'commentOnChangeRequest',
      method: 'post',
      path: `${PATH}/{id}/comments`,
      summary: 'Comment on a change request',
      body: { schema: commentSchema, example: { text: 'Not on a Friday.' } },
      run: withBody(
        compileGuard<FromSchema<typeof commentSchema>>(commentSchema),
        async (request, { text }) => changedRequest(await changeRequests.comment(addressed(request), text)),
      ),
    },
  ];
}

function setRequiredApprovals(changeRequests: ChangeRequests): Operation {
  return {
    id: 'setRequiredApprovals',
    scope: IN_ENVIRONMENT,
    tag: COMMON.tag,
    problems: COMMON.problems,
    method: 'put',
    path: `${OF_ENVIRONMENT}/config`,
    summary: 'Set the number of approvals that change requests need, also those that are open now',
    permission: 'UPDATE_PROJECT',
    body: { schema: approvalRuleSchema, example: { requiredApprovals: 2 } },
    answer: { status: 200, description: 'The number is set.' },
    run: withBody(compileGuard<ApprovalRule>(approvalRuleSchema), (request, { requiredApprovals }) =>
      changeRequests.setRequiredApprovals(draftKeyOf(request), requiredApprovals),
    ),
  };
}

function draftKeyOf(request: AdminRequest) {
  return {
    project: nameParameter(request, 'projectId'),
    environment: nameParameter(request, 'environment'),
    caller: request.caller,
  };
}
