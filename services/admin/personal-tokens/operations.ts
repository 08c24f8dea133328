import { HttpProblem } from '#http';
import { compileGuard } from '#schema';
import { type Permission, createPersonalSecret } from '#tokens';
import { type AdminRequest, type Operation, idParameter, notFound, withBody } from '../http/operation.ts';
import type { Announce } from '../tokens/operations.ts';
import {
  type NewPersonalToken,
  createdPersonalTokenSchema,
  newPersonalTokenSchema,
  personalTokensSchema,
} from './schema.ts';
import { MAX_PERSONAL_TOKENS, type PersonalTokens } from './store.ts';

const EXAMPLE = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  description: 'my scripts',
  createdAt: '2026-11-21T10:15:00.000Z',
  expiresAt: '2027-11-21T10:15:00.000Z',
};

type Scope = {
  readonly path: string;
  readonly permission: Permission;
  readonly idSuffix: string;
  readonly summaryOf: string;
  readonly userOf: (request: AdminRequest) => number;
  readonly problems: readonly [404];
};

const OWN: Scope = {
  path: '/api/admin/user/tokens',
  permission: 'READ',
  idSuffix: '',
  summaryOf: 'of the caller',
  problems: [404],
  userOf({ caller }) {
    if (caller.userId > 0) return caller.userId;
    throw new HttpProblem(403, 'Only users have personal tokens.');
  },
};

const OF_USER: Scope = {
  path: '/api/admin/user-admin/{userId}/tokens',
  permission: 'ADMIN',
  idSuffix: 'OfUser',
  summaryOf: 'of a user',
  problems: [404],
  userOf: (request) => idParameter(request, 'userId'),
};

/** Users manage their own tokens. An Admin manages everybody's, because users cannot create their first token themselves. */
export function personalTokenOperations(tokens: PersonalTokens, announce: Announce): Operation[] {
  return [OWN, OF_USER].flatMap((scope) => [
    listTokens(tokens, scope),
    createToken(tokens, scope),
    deleteToken(tokens, announce, scope),
  ]);
}

function listTokens(tokens: PersonalTokens, scope: Scope): Operation {
  return {
    id: `listPersonalTokens${scope.idSuffix}`,
    method: 'get',
    path: scope.path,
    tag: 'Tokens',
    summary: `Personal tokens ${scope.summaryOf}`,
    permission: scope.permission,
    answer: {
      status: 200,
      description: 'The tokens.',
      schema: personalTokensSchema,
      example: { pats: [EXAMPLE] },
    },
    problems: scope.problems,
    async run(request) {
      const pats = await tokens.list(scope.userOf(request));
      if (pats === undefined) throw notFound('There is no such user.');
      return { pats };
    },
  };
}

function createToken(tokens: PersonalTokens, scope: Scope): Operation {
  return {
    id: `createPersonalToken${scope.idSuffix}`,
    isMakingToken: true,
    method: 'post',
    path: scope.path,
    tag: 'Tokens',
    summary: `Create a personal token ${scope.summaryOf}; only this answer contains its secret`,
    permission: scope.permission,
    body: {
      schema: newPersonalTokenSchema,
      example: { description: 'my scripts', expiresAt: '2027-11-21T10:15:00.000Z' },
    },
    answer: {
      status: 201,
      description: 'The token with its secret.',
      schema: createdPersonalTokenSchema,
      example: { ...EXAMPLE, secret: 'user:…' },
    },
    problems: scope.problems,
    run: withBody(compileGuard<NewPersonalToken>(newPersonalTokenSchema), async (request, body) => {
      const userId = scope.userOf(request);
      const expiresAt = new Date(body.expiresAt);
      if (expiresAt.getTime() <= Date.now()) throw new HttpProblem(400, 'expiresAt must be in the future.');
      const secret = createPersonalSecret();
      const created = await tokens.create(
        { userId, secret, description: body.description, expiresAt },
        request.caller,
      );
      if (created === 'unknown user') throw notFound('There is no such user.');
      if (created === 'too many')
        throw new HttpProblem(400, `A user may have at most ${MAX_PERSONAL_TOKENS} tokens.`);
      return { ...created, secret };
    }),
  };
}

function deleteToken(tokens: PersonalTokens, announce: Announce, scope: Scope): Operation {
  return {
    id: `deletePersonalToken${scope.idSuffix}`,
    method: 'delete',
    path: `${scope.path}/{tokenId}`,
    tag: 'Tokens',
    summary: `Delete a personal token ${scope.summaryOf}, in every process at once`,
    permission: scope.permission,
    answer: { status: 200, description: 'The token is deleted.' },
    problems: scope.problems,
    async run(request) {
      const { tokenId = '' } = request.parameters;
      const isDeleted = await tokens.delete(scope.userOf(request), tokenId, request.caller);
      if (!isDeleted) throw notFound('There is no such token.');
      await announce([tokenId.toLowerCase()]);
    },
  };
}
