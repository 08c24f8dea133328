import type { StoredSession } from '#base/auth';
import type { Operation } from '../../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import { OF_CALLER, OF_USER, type TargetUser } from '../users/target-user.ts';
import { type SessionRecord, sessionsSchema } from './schema.ts';
import type { SessionsStore } from './store.ts';

const EXAMPLE: SessionRecord = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  userId: 7,
  createdAt: '2026-11-21T08:15:00.000Z',
  seenAt: '2026-11-21T10:15:00.000Z',
  endsAt: '2026-11-21T20:15:00.000Z',
};

/** Users see and end their own sessions, an Admin everybody's. */
export function sessionOperations(sessions: SessionsStore, announce: Announce): Operation[] {
  return [OF_CALLER, OF_USER].flatMap((target) => [
    listSessions(sessions, target),
    deleteSession(sessions, announce, target),
    deleteSessions(sessions, announce, target),
  ]);
}

function listSessions(sessions: SessionsStore, target: TargetUser): Operation {
  return {
    id: `listSessions${target.idSuffix}`,
    method: 'get',
    path: `${target.path}/sessions`,
    tag: 'Users',
    summary: `Open sessions ${target.words}`,
    permission: target.permission,
    scope: 'installation',
    answer: {
      status: 200,
      description: 'The sessions.',
      schema: sessionsSchema,
      example: { sessions: [EXAMPLE] },
    },
    problems: target.problems,
    run: async (request) => ({ sessions: (await sessions.list(target.userOf(request))).map(toRecord) }),
  };
}

function deleteSession(sessions: SessionsStore, announce: Announce, target: TargetUser): Operation {
  return {
    id: `deleteSession${target.idSuffix}`,
    method: 'delete',
    path: `${target.path}/sessions/{sessionId}`,
    tag: 'Users',
    summary: `End a session ${target.words}, in every process at once`,
    permission: target.permission,
    scope: 'installation',
    answer: { status: 200, description: 'The session has ended.' },
    problems: [404],
    async run(request) {
      const { sessionId = '' } = request.parameters;
      const ended = await sessions.revoke(sessionId, {
        caller: request.caller,
        userId: target.userOf(request),
      });
      await announce([ended]);
    },
  };
}

function deleteSessions(sessions: SessionsStore, announce: Announce, target: TargetUser): Operation {
  return {
    id: `deleteSessions${target.idSuffix}`,
    method: 'delete',
    path: `${target.path}/sessions`,
    tag: 'Users',
    summary: `End all sessions ${target.words}, in every process at once`,
    permission: target.permission,
    scope: 'installation',
    answer: { status: 200, description: 'The sessions have ended.' },
    problems: target.problems,
    async run(request) {
      await announce(await sessions.revokeAll({ userId: target.userOf(request), caller: request.caller }));
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
