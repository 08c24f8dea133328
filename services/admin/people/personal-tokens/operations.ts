import { compileGuard } from '#base/schema';
import { type MaxTokenDays, createPersonalSecret } from '#base/tokens';
import { notPermitted } from '../../denial.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { type TokenParts, checkEnd } from '../tokens/operations.ts';
import { OF_CALLER, OF_USER, type TargetUser } from '../users/target-user.ts';
import {
  type NewPersonalToken,
  createdPersonalTokenSchema,
  newPersonalTokenSchema,
  personalTokensSchema,
} from './schema.ts';
import type { PersonalTokens } from './store.ts';
import type { PersonalTokenToStore } from './store/create.ts';

const EXAMPLE = {
  id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
  description: 'my scripts',
  createdAt: '2026-11-21T10:15:00.000Z',
  expiresAt: '2027-11-21T10:15:00.000Z',
  seenAt: null,
  seenIpv4At: null,
  seenIpv6At: null,
  createdByUserId: 7,
  createdByTokenId: null,
};

const OF_CALLING_USER: TargetUser = {
  ...OF_CALLER,
  problems: [404],
  userOf({ caller }) {
    if (caller.userId > 0) return caller.userId;
    throw notPermitted('Only users have personal tokens.');
  },
};

/** Users manage their own tokens. An Admin manages everybody's, because users cannot create their first token themselves. */
export function personalTokenOperations(
  tokens: PersonalTokens,
  { announce, maxTokenDays }: TokenParts,
): Operation[] {
  return [
    ...[OF_CALLING_USER, OF_USER].flatMap((target) => [
      listTokens(tokens, target),
      createToken(tokens, target, maxTokenDays),
      deleteToken(tokens, announce, target),
    ]),
    takeOverToken(tokens, { announce, maxTokenDays }),
  ];
}

function listTokens(tokens: PersonalTokens, target: TargetUser): Operation {
  return {
    id: `listPersonalTokens${target.idSuffix}`,
    method: 'get',
    path: `${target.path}/tokens`,
    tag: 'Tokens',
    summary: `Personal tokens ${target.words}`,
    permission: target.permission,
    scope: 'installation',
    answer: {
      status: 200,
      description: 'The tokens.',
      schema: personalTokensSchema,
      example: { pats: [EXAMPLE] },
    },
    problems: target.problems,
    run: async (request) => ({ pats: await tokens.list(target.userOf(request)) }),
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

function createToken(tokens: PersonalTokens, target: TargetUser, maxTokenDays: MaxTokenDays): Operation {
  return {
    ...MAKING,
    id: `createPersonalToken${target.idSuffix}`,
    path: `${target.path}/tokens`,
    summary: `Create a personal token ${target.words}; only this answer contains its secret`,
    permission: target.permission,
    scope: 'installation',
    problems: [...target.problems, 409],
    run: withBody(isNewToken, async (request, body) => {
      const token = newTokenOf(target.userOf(request), body, maxTokenDays);
      return { ...(await tokens.create(token, request.caller)), secret: token.secret };
    }),
  };
}

function takeOverToken(tokens: PersonalTokens, { announce, maxTokenDays }: TokenParts): Operation {
  return {
    ...MAKING,
    id: 'takeOverPersonalToken',
    path: `${OF_CALLING_USER.path}/tokens/take-over`,
    summary:
      'Replace the token of this request, which somebody else made, by one of the caller, which may approve and reject; only this answer contains its secret',
    permission: OF_CALLING_USER.permission,
    scope: 'installation',
    problems: [...OF_CALLING_USER.problems, 409],
    run: withBody(isNewToken, async (request, body) => {
      const token = newTokenOf(OF_CALLING_USER.userOf(request), body, maxTokenDays);
      const record = await tokens.takeOver(token, request.caller);
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

function deleteToken(
  tokens: PersonalTokens,
  announce: TokenParts['announce'],
  target: TargetUser,
): Operation {
  return {
    id: `deletePersonalToken${target.idSuffix}`,
    method: 'delete',
    path: `${target.path}/tokens/{tokenId}`,
    tag: 'Tokens',
    summary: `Delete a personal token ${target.words}, in every process at once`,
    permission: target.permission,
    scope: 'installation',
    answer: { status: 200, description: 'The token is deleted.' },
    problems: target.problems,
    async run(request) {
      const { tokenId = '' } = request.parameters;
      await tokens.delete(target.userOf(request), tokenId, request.caller);
      await announce([tokenId.toLowerCase()]);
    },
  };
}
