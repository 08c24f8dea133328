import type { StoredSession } from '#auth';
import type { Permission } from '#tokens';
import { type AdminRequest, type Operation, idParameter, notFound } from '../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import { type SessionRecord, sessionsSchema } from './schema.ts';
import type { SessionsStore } from './store.ts';

const EXAMPLE: SessionRecord = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  userId: 7,
  createdAt: '2026-11-21T08:15:00.000Z',
  seenAt: '2026-11-21T10:15:00.000Z',
  endsAt: '2026-11-21T20:15:00.000Z',
};

type Scope = {
  readonly path: string;
  readonly permission: Permission;
  readonly idSuffix: string;
  readonly summaryOf: string;
  readonly userOf: (request: AdminRequest) => number;
  readonly problems: readonly [404] | readonly [];
};

const OWN: Scope = {
  path: '/api/admin/user/sessions',
  permission: 'MANAGE_OWN',
  idSuffix: '',
  summaryOf: 'of the caller',
  userOf: ({ caller }) => caller.userId,
  problems: [],
};

const OF_USER: Scope = {
  path: '/api/admin/user-admin/{userId}/sessions',
  permission: 'ADMIN',
  idSuffix: 'OfUser',
  summaryOf: 'of a user',
  userOf: (request) => idParameter(request, 'userId'),
  problems: [404],
};

/** Users see and end their own sessions, an Admin everybody's. */
export function sessionOperations(sessions: SessionsStore, announce: Announce): Operation[] {
  return [OWN, OF_USER].flatMap((scope) => [
    listSessions(sessions, scope),
    deleteSession(sessions, announce, scope),
    deleteSessions(sessions, announce, scope),
  ]);
}

function listSessions(sessions: SessionsStore, scope: Scope): Operation {
  return {
    id: `listSessions${scope.idSuffix}`,
    method: 'get',
    path: scope.path,
    tag: 'Users',
    summary: `Open sessions ${scope.summaryOf}`,
    permission: scope.permission,
    scope: 'installation',
    answer: {
      status: 200,
      description: 'The sessions.',
      schema: sessionsSchema,
      example: { sessions: [EXAMPLE] },
    },
    problems: scope.problems,
    run: async (request) => ({ sessions: (await sessions.list(scope.userOf(request))).map(toRecord) }),
  };
}

function deleteSession(sessions: SessionsStore, announce: Announce, scope: Scope): Operation {
  return {
    id: `deleteSession${scope.idSuffix}`,
    method: 'delete',
    path: `${scope.path}/{sessionId}`,
    tag: 'Users',
    summary: `End a session ${scope.summaryOf}, in every process at once`,
    permission: scope.permission,
    scope: 'installation',
    answer: { status: 200, description: 'The session has ended.' },
    problems: [404],
    async run(request) {
      const { sessionId = '' } = request.parameters;
      const ended = await sessions.revoke(sessionId, {
        caller: request.caller,
        userId: scope.userOf(request),
      });
      if (ended === undefined) throw notFound('There is no such session.');
      await announce([ended]);
    },
  };
}

function deleteSessions(sessions: SessionsStore, announce: Announce, scope: Scope): Operation {
  return {
    id: `deleteSessions${scope.idSuffix}`,
    method: 'delete',
    path: scope.path,
    tag: 'Users',
    summary: `End all sessions ${scope.summaryOf}, in every process at once`,
    permission: scope.permission,
    scope: 'installation',
    answer: { status: 200, description: 'The sessions have ended.' },
    problems: scope.problems,
    async run(request) {
      await announce(await sessions.revokeAll(scope.userOf(request), request.caller));
    },
  };
}

function toRecord({ id, user, createdAt, seenAt, endsAt }: StoredSession): SessionRecord {
  return {
    id,
    userId: user.id,
    createdAt: createdAt.toISOString(),
    seenAt: seenAt.toISOString(),
    endsAt: endsAt.toISOString(),
  };
}
