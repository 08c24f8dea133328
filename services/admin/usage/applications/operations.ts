import type { FromSchema } from 'json-schema-to-ts';
import { compileQuery } from '#base/schema';
import { cursorParameter, limitParameter } from '../../http/requests/limit-parameter.ts';
import type { Operation } from '../../http/operation.ts';
import { applicationsSchema } from './schema.ts';
import type { ApplicationsStore } from './store.ts';

const applicationsQuery = {
  type: 'object',
  properties: {
    limit: { ...limitParameter, maximum: 100 },
    cursor: cursorParameter,
  },
} as const;

type ApplicationsQuery = FromSchema<typeof applicationsQuery>;

export function applicationOperations(applications: ApplicationsStore): Operation<ApplicationsQuery>[] {
  return [
    {
      method: 'get',
      tag: 'Usage',
      permission: 'READ',
      id: 'listApplications',
      scope: 'installation',
      queue: 'lists',
      path: '/api/admin/metrics/applications',
      summary: 'Applications that relays reported, by name, with their instances',
      query: compileQuery<ApplicationsQuery>(applicationsQuery),
      answer: {
        status: 200,
        description: 'The applications.',
        schema: applicationsSchema,
        example: { total: 0, applications: [], nextCursor: null },
      },
      run: ({ query }) => applications.list(query),
    },
  ];
}
