import { type Guard, problemsOf } from '#base/schema';
import { errorOf, jsonOf } from '../answers.ts';
import type { Unleash, UnleashAnswer } from '../client.ts';
import { UnleashError } from '../unleash-error.ts';
import {
  type ArchivedFeature,
  type ListedFeature,
  type UnleashApplication,
  type UnleashEnvironment,
  type UnleashEvent,
  type UnleashFeature,
  type UnleashProject,
  type UnleashStrategy,
  isApplications,
  isArchivedFeatures,
  isEnvironments,
  isEvents,
  isFeature,
  isFeatureList,
  isProjects,
  isStrategies,
  isTags,
} from './shapes.ts';
import { tagsOf } from './tags.ts';

const TIMEOUT_MS = 20_000;
/** Enough for a project of 50,000 features, because Unleash returns them without pages. */
const MAX_BYTES = 32 * 1024 * 1024;
/** The largest pages of Unleash. */
export const ARCHIVED_PAGE = 100;
export const APPLICATIONS_PAGE = 1000;

export type EventPage = { readonly events: readonly UnleashEvent[]; readonly total: number };
export type EventsSought = { readonly offset: number; readonly limit: number };

export type CatalogueReader = {
  projects(): Promise<readonly UnleashProject[]>;
  environments(): Promise<readonly UnleashEnvironment[]>;
  strategies(): Promise<readonly UnleashStrategy[]>;
  /** A page of applications, by name. */
  applications(offset: number): Promise<readonly UnleashApplication[]>;
  /** The active features of a project, without their strategies. */
  features(project: string): Promise<readonly ListedFeature[]>;
  /** One active feature without its tags. Undefined if Unleash says that the project has no such feature, or that it is archived. */
  feature(project: string, name: string): Promise<UnleashFeature | undefined>;
  /** The tags of a feature in the form `type:value`. Undefined if Unleash has no such feature. */
  tags(name: string): Promise<readonly string[] | undefined>;
  /** A page of archived features, oldest first. Unleash allows 15 of these a minute. */
  archived(offset: number): Promise<{ features: readonly ArchivedFeature[]; total: number }>;
  /** Newest first. */
  events(sought: EventsSought): Promise<EventPage>;
};

/** Reads the catalogue of Unleash by its admin API, until `signal` aborts. Every function rejects with an UnleashError. */
export function createCatalogueReader(
  unleash: Unleash,
  adminToken: string,
  signal: AbortSignal,
): CatalogueReader {
  const get = (path: string): Promise<UnleashAnswer> =>
    unleash.call({
      path: `/api/admin${path}`,
      secret: adminToken,
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_BYTES,
      signal,
    });
  return {
    projects: async () => parse(isProjects, await get('/projects')).projects,
    environments: async () => parse(isEnvironments, await get('/environments')).environments,
    strategies: async () => parse(isStrategies, await get('/strategies')).strategies,
    applications: async (offset) =>
      parse(isApplications, await get(`/metrics/applications?limit=${APPLICATIONS_PAGE}&offset=${offset}`))
        .applications,
    features: async (project) =>
      parse(isFeatureList, await get(`/projects/${encodeURIComponent(project)}/features`)).features,
    async feature(project, name) {
      const path = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
      const answer = await get(`${path}?variantEnvironments=true`);
      return isNotFound(answer) ? undefined : parse(isFeature, answer);
    },
    async tags(name) {
      const answer = await get(`/features/${encodeURIComponent(name)}/tags`);
      return isNotFound(answer) ? undefined : tagsOf(parse(isTags, answer).tags);
    },
    archived: async (offset) =>
      parse(
        isArchivedFeatures,
        await get(
          `/search/features?archived=IS:true&sortBy=createdAt&sortOrder=asc&limit=${ARCHIVED_PAGE}&offset=${offset}`,
        ),
      ),
    events: async ({ offset, limit }) =>
      parseEvents(await get(`/search/events?limit=${limit}&offset=${offset}`)),
  };
}

/** Whether Unleash itself says so: a 404 from a proxy in between proves nothing. */
function isNotFound(answer: UnleashAnswer): boolean {
  return answer.status === 404 && errorOf(answer).name === 'NotFoundError';
}

export function parseEvents(answer: UnleashAnswer): EventPage {
  return parse(isEvents, answer);
}

function parse<T>(isValid: Guard<T>, answer: UnleashAnswer): T {
  if (answer.status === 429) throw tooManyRequests(answer);
  const json = jsonOf(answer);
  if (isValid(json)) return json;
  const [{ path, message } = { path: '', message: 'is not valid' }] = problemsOf(isValid);
  throw new UnleashError(
    'unleash-answer',
    `Unleash answered another catalogue than its API has: ${path} ${message}.`,
  );
}

const LONGEST_WAIT_SECONDS = 3600;

function tooManyRequests({ status, headers }: UnleashAnswer): UnleashError {
  const seconds = Number(headers.get('retry-after') ?? 0);
  const retryAfterMs = seconds > 0 ? Math.min(seconds, LONGEST_WAIT_SECONDS) * 1000 : undefined;
  return new UnleashError('unleash-status', `Unleash answered ${status}: it wants fewer requests.`, {
    status,
    retryAfterMs,
  });
}
