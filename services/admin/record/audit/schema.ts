import type { FromSchema } from 'json-schema-to-ts';
import { members, nullableText, nullableUuid, text, time } from '#base/schema';

export const OUTCOMES = ['done', 'refused', 'failed'] as const;

const values = (description: string) => ({ type: ['object', 'null'], description }) as const;

/** An entry of the audit. The columns of the view `audit` have the same meaning. */
const auditEntrySchema = {
  title: 'AuditEntry',
  type: 'object',
  ...members({
    sequence: {
      type: 'integer',
      description: 'Number. Gaps are entries of strangers, which are deleted after a week.',
    },
    at: time('When it happened.'),
    operation: text('Operation of the API, command, or job for flagmeter itself.'),
    outcome: {
      type: 'string',
      enum: OUTCOMES,
      description: 'failed if the change may have been made, or flagmeter has a fault.',
    },
    event: nullableText('Type of the event, or what has no event, such as signed-in.'),
    status: { type: ['integer', 'null'], description: 'HTTP status of what was refused or failed.' },
    reason: nullableText('Why it was refused or failed.', 2000),
    userId: {
      type: ['integer', 'null'],
      description: 'Who did it: -42 for ADMIN tokens, -1337 for flagmeter.',
    },
    user: nullableText('E-mail address or name of the user, or name of the token.'),
    credential: nullableText('Kind of the token or session; for a refusal its state if it was not valid.'),
    credentialId: nullableUuid('Its id.'),
    address: nullableText('IPv4 address, or /64 network of an IPv6 address.'),
    parameters: values('Parameters of the path.'),
    project: nullableText('Project of what was changed.'),
    environment: nullableText('Its environment.'),
    featureName: nullableText('Its feature.'),
    before: values('State before the change.'),
    after: values('State after the change.'),
    hash: text('SHA-256 of the entry and of the hash before it, hexadecimal.'),
  }),
} as const;

export const auditSchema = {
  title: 'Audit',
  type: 'object',
  description: 'Newest first.',
  ...members({ entries: { type: 'array', items: auditEntrySchema } }),
} as const;

export type AuditEntry = FromSchema<typeof auditEntrySchema>;
