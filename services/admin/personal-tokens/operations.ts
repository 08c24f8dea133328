import { HttpProblem } from '#http';
import { compileGuard } from '#schema';
import { type MaxTokenDays, type Permission, createPersonalSecret } from '#tokens';
import { type AdminRequest, type Operation, idParameter, notFound, withBody } from '../http/operation.ts';
import { type TokenParts, checkEnd } from '../tokens/operations.ts';
import {
  type NewPersonalToken,
  type PersonalTokenRecord,
  createdPersonalTokenSchema,
  newPersonalTokenSchema,
  personalTokensSchema,
} from './schema.ts';
import type { PersonalTokens } from './store.ts';
import { type Creation, MAX_PERSONAL_TOKENS, type PersonalTokenToStore } from './store/create.ts';

const EXAMPLE = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  description: 'my scripts',
  createdAt: '2026-11-21T10:15:00.000Z',
  expiresAt: '2027-11-21T10:15:00.000Z',
  ...{ seenAt: null, seenIpv4At: null, seenIpv6At: null },
  createdByUserId: 7,
  createdByTokenId: null,
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
  permission: 'MANAGE_OWN',
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
export function personalTokenOperations(
  tokens: PersonalTokens,
  { announce, maxTokenDays }: TokenParts,
): Operation[] {
  return [
    ...[OWN, OF_USER].flatMap((scope) => [
      listTokens(tokens, scope),
      createToken(tokens, scope, maxTokenDays),
      deleteToken(tokens, announce, scope),
    ]),
    takeOverToken(tokens, { announce, maxTokenDays }),
  ];
}

function listTokens(tokens: PersonalTokens, scope: Scope): Operation {
  return {
    id: `listPersonalTokens${scope.idSuffix}`,
    method: 'get',
    path: scope.path,
    tag: 'Tokens',
    summary: `Personal tokens ${scope.summaryOf}`,
    permission: scope.permission,
    scope: 'installation',
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

const MAKING = {
  isMakingToken: true,
  method: 'post',
  tag: 'Tokens',
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
} as const;

const isNewToken = compileGuard<NewPersonalToken>(newPersonalTokenSchema);

function createToken(tokens: PersonalTokens, scope: Scope, maxTokenDays: MaxTokenDays): Operation {
  return {
    ...MAKING,
    id: `createPersonalToken${scope.idSuffix}`,
    path: scope.path,
    summary: `Create a personal token ${scope.summaryOf}; only this answer contains its secret`,
    permission: scope.permission,
    scope: 'installation',
    problems: scope.problems,
    run: withBody(isNewToken, async (request, body) => {
      const token = newTokenOf(scope.userOf(request), body, maxTokenDays);
      return { ...created(await tokens.create(token, request.caller)), secret: token.secret };
    }),
  };
}

function takeOverToken(tokens: PersonalTokens, { announce, maxTokenDays }: TokenParts): Operation {
  return {
    ...MAKING,
    id: 'takeOverPersonalToken',
    path: `${OWN.path}/take-over`,
    summary:
      'Replace the token of this request, which somebody else made, by one of the caller, which may approve and reject; only this answer contains its secret',
    permission: OWN.permission,
    scope: 'installation',
    problems: OWN.problems,
    run: withBody(isNewToken, async (request, body) => {
      const token = newTokenOf(OWN.userOf(request), body, maxTokenDays);
      const record = created(await tokens.takeOver(token, request.caller));
      if (request.token !== undefined) await announce([request.token.id]);
      return { ...record, secret: token.secret };
    }),
  };
}

function newTokenOf(
  userId: number,
  body: NewPersonalToken,
  maxTokenDays: MaxTokenDays,
): PersonalTokenToStore {
  const expiresAt = new Date(body.expiresAt);
  checkEnd({ type: 'personal', expiresAt: expiresAt.getTime() }, maxTokenDays);
  return { userId, secret: createPersonalSecret(), description: body.description, expiresAt };
}

function created(creation: Creation): PersonalTokenRecord {
  switch (creation) {
    case 'unknown user':
      throw notFound('There is no such user.');
    case 'too many':
      throw new HttpProblem(400, `A user may have at most ${MAX_PERSONAL_TOKENS} tokens.`);
    case 'is own token':
      throw new HttpProblem(400, 'The token of this request is your own already.');
    case 'has own tokens':
      throw new HttpProblem(
        403,
        'You have your own token: create further ones with it. If it is lost, an Admin can delete it.',
      );
    case 'revoked':
      throw new HttpProblem(401, 'The token is not valid.');
    default:
      return creation;
  }
}

function deleteToken(tokens: PersonalTokens, announce: TokenParts['announce'], scope: Scope): Operation {
  return {
    id: `deletePersonalToken${scope.idSuffix}`,
    method: 'delete',
    path: `${scope.path}/{tokenId}`,
    tag: 'Tokens',
    summary: `Delete a personal token ${scope.summaryOf}, in every process at once`,
    permission: scope.permission,
    scope: 'installation',
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
