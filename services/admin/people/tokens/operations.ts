import { compileGuard, compileQuery, time } from '#base/schema';
import { type MaxTokenDays, problemOfEnd } from '#base/tokens';
import { notValid } from '../../denial.ts';
import type { Need } from '../../http/access/scope.ts';
import { needsOfToken, needsOfTrust } from '../../http/access/token-needs.ts';
import { type Operation, withBody } from '../../http/operation.ts';
import { EXAMPLE, scopeOf, toToken } from './record.ts';
import {
  type NewApiToken,
  type Rotation,
  apiTokensSchema,
  createdApiTokenSchema,
  newApiTokenSchema,
  rotatedApiTokenSchema,
  rotationSchema,
} from './schema.ts';
import type { ApiTokens } from './store.ts';

const PATH = '/api/admin/api-tokens';

export type Announce = (tokenIds: readonly string[]) => Promise<void>;

export type TokenParts = {
  readonly announce: Announce;
  readonly maxTokenDays: MaxTokenDays;
};

export function tokenOperations(apiTokens: ApiTokens, { announce, maxTokenDays }: TokenParts): Operation[] {
  return [
    listTokens(apiTokens),
    createToken(apiTokens, maxTokenDays),
    rotateToken(apiTokens, maxTokenDays),
    {
      id: 'revokeApiToken',
      scope: { project: 'token' },
      method: 'delete',
      path: `${PATH}/{tokenId}`,
      tag: 'Tokens',
      summary: 'Revoke an API token, in every process at once',
      permission: 'MANAGE_TOKENS',
      answer: { status: 200, description: 'The token is revoked.' },
      problems: [404],
      async run({ parameters: { tokenId = '' }, caller }) {
        await announce([await apiTokens.revoke(tokenId, caller)]);
      },
    },
  ];
}

type TokensQuery = { readonly unusedSince?: string };

function listTokens(apiTokens: ApiTokens): Operation<TokensQuery> {
  return {
    id: 'listApiTokens',
    scope: 'visible',
    queue: 'lists',
    method: 'get',
    path: PATH,
    tag: 'Tokens',
    summary: 'API tokens that are not revoked; their secrets are not stored',
    permission: 'MANAGE_TOKENS',
    query: compileQuery<TokensQuery>({
      type: 'object',
      properties: {
        unusedSince: time('Only tokens that were neither created nor used since this time.'),
      },
    }),
    answer: {
      status: 200,
      description: 'The tokens.',
      schema: apiTokensSchema,
      example: { tokens: [EXAMPLE] },
    },
    run: async ({ visible, query: { unusedSince } }) => ({
      tokens: await apiTokens.list(visible, unusedSince === undefined ? undefined : new Date(unusedSince)),
    }),
  };
}

const isNewToken = compileGuard<NewApiToken>(newApiTokenSchema);

function needsOfNew(body: unknown): Need[] {
  if (!isNewToken(body)) return [];
  const scope = scopeOf(body);
  return [...needsOfToken(scope), ...(body.trusted === true ? needsOfTrust(scope) : [])];
}

function createToken(apiTokens: ApiTokens, maxTokenDays: MaxTokenDays): Operation {
  return {
    id: 'createApiToken',
    scope: { project: 'body', needsOf: needsOfNew },
    isMakingToken: true,
    method: 'post',
    path: PATH,
    tag: 'Tokens',
    summary: 'Create an API token; only this answer contains its secret',
    permission: 'MANAGE_TOKENS',
    body: {
      schema: newApiTokenSchema,
      example: { tokenName: 'edge', type: 'client', environment: 'production' },
    },
    problems: [404],
    answer: {
      status: 201,
      description: 'The token with its secret.',
      schema: createdApiTokenSchema,
      example: { ...EXAMPLE, secret: '*:production.…' },
    },
    run: withBody(isNewToken, async ({ caller }, body) => {
      const token = toToken(body);
      checkEnd(token, maxTokenDays);
      await apiTokens.checkNames(token);
      return { ...(await apiTokens.create(token, caller)), secret: token.secret };
    }),
  };
}

function rotateToken(apiTokens: ApiTokens, maxTokenDays: MaxTokenDays): Operation {
  return {
    id: 'rotateApiToken',
    scope: 'installation',
    isMakingToken: true,
    method: 'post',
    path: `${PATH}/{tokenId}/rotate`,
    tag: 'Tokens',
    summary:
      'Replace an API token by one with the same rights, and let the old one end soon; only this answer contains the new secret',
    permission: 'ADMIN',
    body: { schema: rotationSchema, example: { overlapHours: 168 } },
    answer: {
      status: 201,
      description: 'The new token with its secret, and the old one with its end.',
      schema: rotatedApiTokenSchema,
      example: {
        ...EXAMPLE,
        id: 'e0b7a5a4-6a0b-4f5c-8b3d-0c9f3f8f2b22',
        successorOf: EXAMPLE.id,
        secret: '*:production.…',
        predecessor: { ...EXAMPLE, expiresAt: '2026-11-28T10:15:00.000Z' },
      },
    },
    problems: [404, 409],
    run: withBody(compileGuard<Rotation>(rotationSchema), async ({ parameters, caller }, body) => {
      const { overlapHours = 168, expiresAt } = body;
      const end = typeof expiresAt === 'string' ? Date.parse(expiresAt) : expiresAt;
      const terms = { overlapMs: overlapHours * 3_600_000, expiresAt: end, maxTokenDays };
      const tokenId = parameters['tokenId'] ?? '';
      const { successor, secret, predecessor } = await apiTokens.rotate(tokenId, terms, caller);
      return { ...successor, secret, predecessor };
    }),
  };
}

/** Throws a 400 if the token may not end then. */
export function checkEnd(token: Parameters<typeof problemOfEnd>[0], maxTokenDays: MaxTokenDays): void {
  const problem = problemOfEnd(token, maxTokenDays, Date.now());
  if (problem !== undefined) throw notValid(problem);
}
