import { type ApiToken, type Caller, PERMISSIONS, hasForeignToken, hasPermission } from '#base/tokens';
import type { Operation } from '../../http/operation.ts';
import { type CallerAnswer, callerSchema } from './schema.ts';
import type { Users } from './store.ts';

const EXAMPLE: CallerAnswer = {
  user: {
    id: 7,
    username: 'ana',
    email: 'ana@example.org',
    name: 'Ana',
    imageUrl: null,
    rootRole: 'Viewer',
    createdAt: '2026-11-21T10:15:00.000Z',
  },
  permissions: [
    { permission: 'READ', project: null, environments: [] },
    { permission: 'UPDATE_FEATURE', project: 'shop', environments: ['development'] },
  ],
  authentication: {
    type: 'personal-token',
    tokenId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
    tokenName: 'my scripts',
    expiresAt: '2027-11-21T10:15:00.000Z',
    isForeign: false,
  },
};

export function callerOperations(users: Users): Operation[] {
  return [
    {
      id: 'getCaller',
      scope: 'installation',
      method: 'get',
      path: '/api/admin/user',
      tag: 'Users',
      summary: 'Who the caller is, what they may do, and how they signed in',
      permission: 'MANAGE_OWN',
      answer: { status: 200, description: 'The caller.', schema: callerSchema, example: EXAMPLE },
      run: async ({ caller, token }): Promise<CallerAnswer> => ({
        // While AUTH_TYPE is none, also at the start, when Postgres may not say so yet.
        user: { ...(await users.get(caller.userId)), ...(token === undefined && { rootRole: 'Admin' }) },
        permissions: permissionsOf(caller),
        authentication: authenticationOf(token, caller),
      }),
    },
  ];
}

/** First what holds everywhere. */
function permissionsOf({ role, grants = [] }: Caller): CallerAnswer['permissions'] {
  return [
    ...PERMISSIONS.filter((permission) => hasPermission(role, permission)).map((permission) => ({
      permission,
      project: null,
      environments: [],
    })),
    ...grants.flatMap(({ permissions, project, environments }) =>
      permissions.map((permission) => ({ permission, project, environments: [...environments] })),
    ),
  ];
}

const TYPES: Readonly<Record<string, 'personal-token' | 'session'>> = {
  personal: 'personal-token',
  session: 'session',
};

function authenticationOf(token: ApiToken | undefined, caller: Caller): CallerAnswer['authentication'] {
  if (token === undefined)
    return { type: 'none', tokenId: null, tokenName: null, expiresAt: null, isForeign: false };
  return {
    type: TYPES[token.type] ?? 'admin-token',
    tokenId: token.id,
    tokenName: token.name,
    expiresAt: token.expiresAt === undefined ? null : new Date(token.expiresAt).toISOString(),
    isForeign: hasForeignToken(caller),
  };
}
