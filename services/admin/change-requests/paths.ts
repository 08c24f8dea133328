import { HttpProblem, conflict } from '#http';
import { type AdminRequest, idParameter, nameParameter, notFound } from '../http/operation.ts';
import type { ChangeRequest, ChangeRequestSummary } from './schema.ts';
import type { Addressed } from './store.ts';
import type { StepResult } from './store/steps.ts';

export const PATH = '/api/admin/projects/{projectId}/change-requests';

const ANA = { id: 7, username: 'ana', imageUrl: null };

/** The example in the OpenAPI document. */
export const CHANGE_REQUEST: ChangeRequest = {
  id: 12,
  title: 'Switch the new basket on',
  environment: 'production',
  project: 'default',
  minApprovals: 1,
  features: [
    {
      name: 'new-basket',
      changes: [
        {
          id: 31,
          action: 'updateEnabled',
          payload: { enabled: true },
          createdBy: ANA,
          createdAt: '2026-11-21T10:15:00.000Z',
        },
      ],
    },
  ],
  segments: [],
  approvals: [
    { createdBy: { id: 8, username: 'ben', imageUrl: null }, createdAt: '2026-11-21T11:00:00.000Z' },
  ],
  rejections: [],
  comments: [],
  createdBy: ANA,
  createdAt: '2026-11-21T10:15:00.000Z',
  stateTimestamps: { Draft: '2026-11-21T10:15:00.000Z', Scheduled: '2026-11-21T12:00:00.000Z' },
  state: 'Scheduled',
  schedule: { status: 'pending', scheduledAt: '2036-12-01T06:00:00.000Z' },
};

/** The same example as a list shows it. */
export const SUMMARY: ChangeRequestSummary = {
  id: 12,
  title: 'Switch the new basket on',
  environment: 'production',
  project: 'default',
  minApprovals: 1,
  features: ['new-basket'],
  changes: 1,
  approvals: 1,
  rejections: 0,
  comments: 0,
  createdBy: ANA,
  createdAt: '2026-11-21T10:15:00.000Z',
  state: 'Scheduled',
  scheduledAt: '2036-12-01T06:00:00.000Z',
};

/** The change request that a path names; 404 if the project or the id does not exist. */
export function addressed(request: AdminRequest): Addressed {
  return {
    project: nameParameter(request, 'projectId'),
    id: idParameter(request, 'id'),
    caller: request.caller,
  };
}

/** Returns the changed request; throws a 400, 403, 404 or 409 if the step was denied. */
export function changedRequest(result: StepResult): ChangeRequest {
  if (result === 'unknown' || result === 'discarded')
    throw notFound('There is no such change request in this project.');
  if ('request' in result) return result.request;
  if (result.denied === 'missing') throw notFound(result.message);
  if (result.denied === 'owned by Unleash') throw conflict('OwnedByUnleash', result.message);
  throw new HttpProblem(result.denied === 'forbidden' ? 403 : 400, result.message);
}
