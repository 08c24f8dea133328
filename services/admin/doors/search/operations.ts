import { compileQuery } from '#base/schema';
import type { Operation } from '../../http/operation.ts';
import { ReadsInTurn } from '../../http/turns/reads-in-turn.ts';
import {
  type ApplicationsQuery,
  type ChangeRequestsQuery,
  type EvaluatedFeaturesQuery,
  type EventsQuery,
  type FeaturesQuery,
  PAGE_SCHEMAS,
  type UnknownFlagsQuery,
  applicationsQuery,
  changeRequestsQuery,
  evaluatedFeaturesQuery,
  eventsQuery,
  featuresQuery,
  unknownFlagsQuery,
} from './schemas.ts';
import type { Search } from './store.ts';

type UnknownFlagsPage = Awaited<ReturnType<Search['unknownFlags']>>;
type EvaluatedFeaturesPage = Awaited<ReturnType<Search['evaluatedFeatures']>>;

const PATH = '/api/admin/search';
const COMMON = { method: 'get', permission: 'READ' } as const;

/** Lists for people and scripts, in pages with a cursor. */
export function searchOperations(search: Search): Operation[] {
  return [
    searchFeatures(search),
    searchEvents(search),
    searchChangeRequests(search),
    searchApplications(search),
    searchUnknownFlags(search),
    searchEvaluatedFeatures(search),
  ];
}

function searchFeatures(search: Search): Operation<FeaturesQuery> {
  const verdicts = new ReadsInTurn<string[]>();
  return {
    ...COMMON,
    id: 'searchFeatures',
    scope: 'visible',
    queue: 'lists',
    path: `${PATH}/features`,
    tag: 'Features',
    summary: 'Features of all projects, in pages',
    query: compileQuery<FeaturesQuery>(featuresQuery),
    answer: answerWith(PAGE_SCHEMAS.features),
    async run({ query, caller, visible, left }) {
      const { verdict } = query;
      const names =
        verdict === undefined
          ? undefined
          : await verdicts.read({ caller, left }, verdict, () => search.featuresWith(verdict));
      return search.features(query, { caller, visible, names });
    },
  };
}

function searchEvents(search: Search): Operation<EventsQuery> {
  return {
    ...COMMON,
    id: 'searchEvents',
    scope: 'visible',
    queue: 'lists',
    path: `${PATH}/events`,
    tag: 'Events',
    permission: 'READ_EVENTS',
    summary: 'Events, in pages',
    query: compileQuery<EventsQuery>(eventsQuery),
    answer: answerWith(PAGE_SCHEMAS.events),
    run: ({ query, visible }) => search.events(query, visible),
  };
}

function searchChangeRequests(search: Search): Operation<ChangeRequestsQuery> {
  return {
    ...COMMON,
    id: 'searchChangeRequests',
    scope: 'visible',
    queue: 'lists',
    path: `${PATH}/change-requests`,
    tag: 'Change requests',
    summary:
      'Change requests of all projects without their payloads, in pages; drafts of others are left out',
    query: compileQuery<ChangeRequestsQuery>(changeRequestsQuery),
    answer: answerWith(PAGE_SCHEMAS.changeRequests),
    run: ({ query, caller, visible }) => search.changeRequests(query, { caller, visible }),
  };
}

function searchApplications(search: Search): Operation<ApplicationsQuery> {
  return {
    ...COMMON,
    id: 'searchApplications',
    scope: 'installation',
    queue: 'lists',
    path: `${PATH}/applications`,
    tag: 'Usage',
    summary: 'Applications that relays reported, in pages',
    query: compileQuery<ApplicationsQuery>(applicationsQuery),
    answer: answerWith(PAGE_SCHEMAS.applications),
    run: ({ query }) => search.applications(query),
  };
}

function searchUnknownFlags(search: Search): Operation<UnknownFlagsQuery> {
  const pages = new ReadsInTurn<UnknownFlagsPage>();
  return {
    ...COMMON,
    id: 'searchUnknownFlags',
    scope: 'installation',
    queue: 'none',
    path: `${PATH}/unknown-flags`,
    tag: 'Usage',
    summary: 'Features that applications evaluated in the last 30 days and that do not exist, in pages',
    query: compileQuery<UnknownFlagsQuery>(unknownFlagsQuery),
    answer: answerWith(PAGE_SCHEMAS.unknownFlags),
    run: ({ query, caller, left }) =>
      pages.read({ caller, left }, JSON.stringify(query), () => search.unknownFlags(query)),
  };
}

function searchEvaluatedFeatures(search: Search): Operation<EvaluatedFeaturesQuery> {
  const pages = new ReadsInTurn<EvaluatedFeaturesPage>();
  return {
    ...COMMON,
    id: 'searchEvaluatedFeatures',
    scope: 'visible',
    queue: 'none',
    path: `${PATH}/evaluated-features`,
    tag: 'Usage',
    summary: 'Features that were evaluated in a time window, by environment, in pages',
    query: compileQuery<EvaluatedFeaturesQuery>(evaluatedFeaturesQuery),
    answer: answerWith(PAGE_SCHEMAS.evaluatedFeatures),
    run: ({ query, caller, visible, left }) =>
      pages.read({ caller, left }, JSON.stringify([query, visible]), () =>
        search.evaluatedFeatures(query, visible),
      ),
  };
}

function answerWith(schema: Operation['answer']['schema'] & object): Operation['answer'] {
  return { status: 200, description: 'A page.', schema, example: { items: [], nextCursor: null } };
}
