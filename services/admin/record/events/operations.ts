import type { FromSchema } from 'json-schema-to-ts';
import { problemOfName, compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { type ListPages, type ListText, LongList } from '../../http/answers/stream-list.ts';
import { type Event, eventsSchema, featureEventsSchema } from './schema.ts';
import type { Events } from './store.ts';

/** The number of events in the answer if no project is named (docs/use/senders/contract.md#change-requests-feedback-strategies-and-events). */
const LATEST_EVENTS = 100;

const EXAMPLE: Event = {
  id: 25,
  type: 'feature-archived',
  createdBy: 'ana@example.org',
  createdAt: '2026-11-21T10:15:00.492Z',
  createdByUserId: 7,
  data: null,
  preData: null,
  tags: [],
  featureName: 'new-basket',
  project: 'default',
  environment: null,
  token: {
    id: '6f1c3f2e-4f0c-4b8e-9a53-0d8f7f1f2a11',
    createdByUserId: 7,
    createdByTokenId: null,
  },
};

const listQuery = {
  type: 'object',
  properties: {
    project: { type: 'string', description: 'Returns all events of this project, and no others.' },
  },
} as const;

type ListQuery = FromSchema<typeof listQuery>;

export function eventOperations(events: Events): Operation<ListQuery>[] {
  return [
    {
      id: 'listEvents',
      scope: 'visible',
      queue: 'lists',
      method: 'get',
      path: '/api/admin/events',
      tag: 'Events',
      summary: 'The last 100 events of the instance, or all of a project, newest first',
      permission: 'READ_EVENTS',
      query: compileQuery<ListQuery>(listQuery),
      answer: {
        status: 200,
        description: 'The events.',
        schema: eventsSchema,
        example: { version: 1, events: [EXAMPLE], totalEvents: 1 },
      },
      async run({ query: { project }, visible }) {
        if (project !== undefined)
          return new LongList(
            await pagesOf(project, (name) => events.ofProject(name, visible)),
            textWith('"version":1'),
          );
        const latest = await events.listLatest(LATEST_EVENTS, visible);
        return new LongList(latest.events, textWith('"version":1', latest.total));
      },
    },
    {
      id: 'listFeatureEvents',
      scope: 'visible',
      queue: 'lists',
      method: 'get',
      path: '/api/admin/events/{toggleName}',
      tag: 'Events',
      summary: 'All events of a feature, newest first',
      permission: 'READ',
      answer: {
        status: 200,
        description: 'The events; empty for an unknown name.',
        schema: featureEventsSchema,
        example: { version: 1, toggleName: 'new-basket', events: [EXAMPLE], totalEvents: 1 },
      },
      async run({ parameters: { toggleName = '' }, visible }) {
        const pages = await pagesOf(toggleName, (name) => events.ofFeature(name, visible));
        return new LongList(pages, textWith(`"version":1,"toggleName":${JSON.stringify(toggleName)}`));
      },
    },
  ];
}

/** Postgres cannot compare with a NUL character. No project or feature has one in its name, so the list is empty. */
async function pagesOf(
  name: string,
  open: (name: string) => Promise<ListPages<Event>>,
): Promise<ListPages<Event>> {
  return problemOfName(name) === undefined ? open(name) : noPages();
}

// oxlint-disable-next-line typescript/require-await -- it must have the type of the other page generators
async function* noPages(): ListPages<Event> {
  yield [];
}

/** The total is the number of events in the list, unless the caller passes another number. */
function textWith(members: string, total?: number): ListText {
  return {
    head: `{${members},"events":[`,
    tail: (listed) => `],"totalEvents":${total ?? listed}}`,
  };
}
