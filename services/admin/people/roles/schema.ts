import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, text, uuid } from '#base/schema';
import { PROJECT_PERMISSIONS } from '#base/tokens';

const environments = (description: string) =>
  ({
    type: 'array',
    maxItems: 100,
    items: { type: 'string', minLength: 1, maxLength: 100, format: 'name' },
    description,
  }) as const;

const permissions = {
  type: 'array',
  minItems: 1,
  maxItems: PROJECT_PERMISSIONS.length,
  items: { type: 'string', enum: PROJECT_PERMISSIONS },
  description: 'As the operations name them.',
} as const;

export const roleSchema = {
  title: 'Role',
  type: 'object',
  description: 'A set of permissions in a project.',
  ...members({
    name: text('Unique.', 100),
    description: nullableText('What the role is for.'),
    permissions,
    isSystem: { type: 'boolean', description: 'Whether the role always exists.' },
  }),
} as const;

export const rolesSchema = {
  title: 'Roles',
  type: 'object',
  ...members({ roles: { type: 'array', items: roleSchema } }),
} as const;

export const newRoleSchema = {
  title: 'NewRole',
  type: 'object',
  additionalProperties: false,
  required: ['permissions'],
  properties: { description: nullableText('What the role is for.'), permissions },
} as const;

export const assignmentSchema = {
  title: 'RoleOfUser',
  type: 'object',
  description: 'A role of a user in a project.',
  ...members({
    userId: { type: 'integer' },
    userName: text('E-mail address or name.'),
    issuer: nullableText(
      'Identity provider that signs the user in; null for a user who has only tokens.',
      2000,
    ),
    role: text('Name of the role.', 100),
    environments: environments('The environments that the user may change; empty for every one.'),
    fromGroups: {
      type: 'boolean',
      description: 'Whether groups of the identity provider gave it at the last sign-in of the user.',
    },
  }),
} as const;

export const assignmentsSchema = {
  title: 'RolesOfUsers',
  type: 'object',
  ...members({ access: { type: 'array', items: assignmentSchema } }),
} as const;

export const newAssignmentSchema = {
  title: 'NewRoleOfUser',
  type: 'object',
  additionalProperties: false,
  required: ['user', 'role'],
  properties: {
    user: {
      type: 'string',
      minLength: 1,
      maxLength: 255,
      format: 'storable',
      description: 'E-mail address or username.',
    },
    role: { type: 'string', minLength: 1, maxLength: 100, format: 'name', description: 'Name of the role.' },
    environments: environments('The environments that the user may change; absent or empty for every one.'),
  },
} as const;

/** A role that Admins have added, in the export document. */
export const exportedRoleSchema = {
  type: 'object',
  ...members(
    { name: text('Unique.', 100), description: nullableText('What the role is for.'), permissions },
    ['description'],
  ),
} as const;

/** A role that somebody has given, in the export document. Those from groups come with the next sign-in. */
export const exportedProjectRoleSchema = {
  type: 'object',
  ...members(
    {
      project: text('A project.'),
      user: uuid('uid of a user.'),
      role: text('Name of the role.', 100),
      environments: environments('The environments that the user may change; empty for every one.'),
    },
    ['environments'],
  ),
} as const;

export type Role = FromSchema<typeof roleSchema>;
export type NewRole = FromSchema<typeof newRoleSchema>;
export type Assignment = FromSchema<typeof assignmentSchema>;
export type NewAssignment = FromSchema<typeof newAssignmentSchema>;

/** A role of a project. Without environments it is for every one. */
export type ProjectRole = {
  readonly project: string;
  readonly role: string;
  readonly environments: readonly string[];
};
