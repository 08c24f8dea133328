import type { FromSchema } from 'json-schema-to-ts';
import { compileQuery, text, time } from '#base/schema';
import { LongList } from '../../http/answers/stream-list.ts';
import type { Operation } from '../../http/operation.ts';
import { limitParameter } from '../../http/requests/limit-parameter.ts';
import { OUTCOMES, auditSchema } from './schema.ts';
import type { AuditReader } from './store.ts';

const auditQuery = {
  type: 'object',
  properties: {
    userId: {
      type: 'integer',
      minimum: -2147483648,
      maximum: 2147483647,
      description: 'Only entries of this user; -42 for ADMIN tokens.',
    },
    operation: text('Only entries of this operation or command.'),
    outcome: { type: 'string', enum: OUTCOMES, description: 'Only entries with this outcome.' },
    project: text('Only changes of this project.'),
    since: time('Only entries of this time or later.'),
    until: time('Only entries before this time.'),
    before: {
      type: 'integer',
      minimum: 1,
      maximum: 999_999_999_999_999,
      description:
        'Only entries with a lower sequence: the next page begins before the last one of this page.',
    },
    limit: limitParameter,
  },
} as const;

type AuditQuery = FromSchema<typeof auditQuery>;

export function auditOperations(audit: AuditReader): Operation<AuditQuery>[] {
  return [
    {
      id: 'listAuditEntries',
      scope: 'installation',
      queue: 'lists',
      method: 'get',
      path: '/api/admin/audit',
      tag: 'Audit',
      summary: 'Who did what, also what was refused, newest first',
      permission: 'ADMIN',
      query: compileQuery<AuditQuery>(auditQuery),
      answer: {
        status: 200,
        description: 'The entries.',
        schema: auditSchema,
        example: {
          entries: [
            {
              sequence: 812,
              at: '2026-11-21T10:15:00.492Z',
              operation: 'updateFeature',
              outcome: 'done',
              event: 'feature-metadata-updated',
              status: null,
              reason: null,
              userId: 7,
              user: 'ana@example.org',
              credential: 'session',
              credentialId: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
              address: '192.0.2.7',
              parameters: { projectId: 'default', featureName: 'new-basket' },
              project: 'default',
              environment: null,
              featureName: 'new-basket',
              before: { description: 'old' },
              after: { description: 'new' },
              hash: '5f0c1e3a7b9d2c4f6e8a0b1c3d5f7a9b2c4e6f8a1b3d5c7e9f0a2b4c6d8e0f1a',
            },
          ],
        },
      },
      async run({ query: { limit, userId, operation, outcome, project, since, until, before } }) {
        const filter = { userId, operation, outcome, project, since, until, before };
        return new LongList(await audit.list(filter, limit), { head: '{"entries":[', tail: () => ']}' });
      },
    },
  ];
}
