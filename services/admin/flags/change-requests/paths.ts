import { type AdminRequest, idParameter, nameParameter } from '../../http/operation.ts';
import { Versioned } from '../../http/answers/versions.ts';
import type { ChangeRequest, ChangeRequestSummary, Differences } from './schema.ts';
import type { Addressed } from './store.ts';

export const PATH = '/api/admin/projects/{projectId}/change-requests';

const ANA = { id: 7, username: 'ana', imageUrl: null };

/** The example in the OpenAPI document. */
export const CHANGE_REQUEST: ChangeRequest = {
  id: 12,
  version: 3,
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
    {
      createdBy: { id: 8, username: 'ben', imageUrl: null },
      createdAt: '2026-11-21T11:00:00.000Z',
      version: 3,
    },
  ],
  withdrawnApprovals: [],
  rejections: [],
  comments: [],
  createdBy: ANA,
  createdAt: '2026-11-21T10:15:00.000Z',
  stateTimestamps: { Draft: '2026-11-21T10:15:00.000Z', Scheduled: '2026-11-21T12:00:00.000Z' },
  state: 'Scheduled',
  schedule: { status: 'pending', scheduledAt: '2036-12-01T06:00:00.000Z' },
};

/** The example of an edit of that request. */
export const DIFFERENCES: Differences = {
  since: 2,
  version: 3,
  changes: [
    {
      id: 31,
      feature: 'new-basket',
      before: { action: 'updateEnabled', payload: { enabled: false } },
      after: { action: 'updateEnabled', payload: { enabled: true } },
    },
  ],
};

/** The same example as a list shows it. */
export const SUMMARY: ChangeRequestSummary = {
  id: 12,
  title: 'Switch the new basket on',
  environment: 'production',
  project: 'default',
  minApprovals: 1,
  features: ['new-basket'],
  archivesFeatures: false,
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
    isCurrent: request.isCurrent,
  };
}

/** The changed request; empty if it was discarded. */
export function changedRequest(request: ChangeRequest | undefined): Versioned | undefined {
  return request && new Versioned(request.version, request);
}
