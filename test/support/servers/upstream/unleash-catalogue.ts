import type { ServerResponse } from 'node:http';
import type { UpstreamRequest } from './upstream.ts';
import {
  APPLICATION,
  ENVIRONMENTS,
  EVENT,
  FEATURE,
  NOT_FOUND,
  STRATEGIES,
  UNAUTHORIZED,
} from './catalogue-samples.ts';
import { answerJson } from './upstream.ts';

export const ADMIN_SECRET = '*:*.admin-of-the-upstream';

type UpstreamFeature = {
  readonly name: string;
  project: string;
  type: string;
  description: string | null;
  stale: boolean;
  impressionData: boolean;
  tags: readonly { readonly type: string; readonly value: string }[];
  createdAt: string;
  archivedAt: string | null;
  rollout: string;
  enabled: boolean;
};

type UpstreamEvent = { readonly id: number; readonly type: string; readonly [member: string]: unknown };

export type UpstreamCatalogue = ReturnType<typeof createUpstreamCatalogue>;

/**
 * A catalogue that answers in the shapes that unleash-server 8.2.0 was seen to answer in. Its changes write events as Unleash does; those
 * whose name ends in `Silently` write none.
 */
export function createUpstreamCatalogue() {
  const projects = new Map([['default', 'Default']]);
  const applications: UpstreamApplication[] = [];
  const features = new Map<string, UpstreamFeature>();
  const events: UpstreamEvent[] = [];
  const record = (type: string, members: object = {}): void => {
    const id = events.length + 1;
    const createdAt = new Date(Date.UTC(2026, 10, 22) + id).toISOString();
    events.unshift({ ...EVENT, id, type, createdAt, ...members });
  };
  const change = (name: string, type: string, changes: Partial<UpstreamFeature>): void => {
    const feature = Object.assign(known(features, name), changes);
    record(type, { featureName: name, project: feature.project });
  };
  record('api-token-created', { project: '*', environment: '*' });
  return {
    features,
    applications,
    record,
    change,
    createSilently(name: string, members: Partial<UpstreamFeature> = {}): void {
      features.set(name, { ...FEATURE, name, ...members });
    },
    create(name: string, members: Partial<UpstreamFeature> = {}): void {
      this.createSilently(name, members);
      change(name, 'feature-created', {});
    },
    archive: (name: string) => {
      change(name, 'feature-archived', { archivedAt: '2026-11-22T10:00:00.000Z', enabled: false });
    },
    remove(name: string): void {
      const { project } = known(features, name);
      features.delete(name);
      record('feature-deleted', { featureName: name, project });
    },
    nameProject(id: string, name: string): void {
      projects.set(id, name);
      record('project-updated', { project: id });
    },
    respond: ({ method, path, headers }: UpstreamRequest, response: ServerResponse): void => {
      if (headers.authorization !== ADMIN_SECRET) answerJson(response, UNAUTHORIZED, 401);
      else answer({ projects, applications, features, events, change }, { method, path, response });
    },
  };
}

type UpstreamApplication = { readonly appName: string; readonly description: string; readonly url: string };

type Parts = {
  readonly projects: ReadonlyMap<string, string>;
  readonly applications: readonly UpstreamApplication[];
  readonly features: ReadonlyMap<string, UpstreamFeature>;
  readonly events: readonly UpstreamEvent[];
  readonly change: (name: string, type: string, changes: Partial<UpstreamFeature>) => void;
};

type CatalogueRequest = { readonly method: string; readonly path: string; readonly response: ServerResponse };

const PREFIX = '/api/admin';

function answer(parts: Parts, { method, path, response }: CatalogueRequest): void {
  const { pathname, searchParams } = new URL(path, 'http://upstream');
  const [kind = '', project = '', , name = '', , environment = '', state = ''] = pathname
    .slice(PREFIX.length + 1)
    .split('/')
    .map(decodeURIComponent);
  const page = { offset: Number(searchParams.get('offset')), limit: Number(searchParams.get('limit')) };
  const all = [...parts.features.values()];
  const active = all.filter((feature) => feature.archivedAt === null && feature.project === project);
  const one = parts.features.get(name);
  const found = one?.project === project ? one : undefined;
  const tagged = kind === 'features' ? parts.features.get(project) : undefined;
  if (kind === 'environments') answerJson(response, { version: 1, environments: ENVIRONMENTS });
  else if (kind === 'metrics') answerJson(response, applicationsPage(parts.applications, page));
  else if (kind === 'strategies') answerJson(response, { version: 1, strategies: STRATEGIES });
  else if (pathname === `${PREFIX}/search/events`)
    answerJson(response, eventPage(parts.events, searchParams, page));
  else if (pathname === `${PREFIX}/search/features`) answerJson(response, archivedPage(all, page));
  else if (kind === 'projects' && project === '')
    answerJson(response, { version: 1, projects: [...parts.projects].map(projectOf) });
  else if (kind === 'projects' && name === '')
    answerJson(response, { version: 2, features: active.map(listed) });
  else if (tagged !== undefined) answerJson(response, { version: 1, tags: tagged.tags });
  else if (found === undefined || (method === 'GET' && found.archivedAt !== null))
    answerJson(response, NOT_FOUND, 404);
  else if (method === 'GET') answerJson(response, detailed(found));
  else if (method === 'DELETE') {
    parts.change(name, 'feature-archived', { archivedAt: '2026-11-22T10:00:00.000Z' });
    response.writeHead(202).end();
  } else {
    const isOn = state === 'on';
    if (found.enabled !== isOn) {
      parts.change(name, `feature-environment-${isOn ? 'enabled' : 'disabled'}`, { enabled: isOn });
      Object.assign(parts.events[0] ?? {}, { environment });
    }
    response.writeHead(200).end();
  }
}

type Page = { readonly offset: number; readonly limit: number };

function eventPage(events: readonly UpstreamEvent[], sought: URLSearchParams, { offset, limit }: Page) {
  const feature = sought.get('feature')?.replace('IS:', '');
  const type = sought.get('type')?.replace('IS:', '');
  const matching = events.filter(
    (event) =>
      (feature === undefined || event['featureName'] === feature) &&
      (type === undefined || event.type === type),
  );
  return { events: matching.slice(offset, offset + limit), total: matching.length };
}

function archivedPage(all: readonly UpstreamFeature[], { offset, limit }: Page) {
  const archived = all.filter(({ archivedAt }) => archivedAt !== null);
  const features = archived.slice(offset, offset + Math.min(limit, 100));
  return {
    features: features.map((feature) => ({
      ...listed(feature),
      project: feature.project,
      archivedAt: feature.archivedAt,
    })),
    total: archived.length,
  };
}

function applicationsPage(all: readonly UpstreamApplication[], { offset, limit }: Page) {
  const applications = all.slice(offset, offset + limit).map((one) => ({ ...APPLICATION, ...one }));
  return { applications, total: all.length };
}

function projectOf([id, name]: readonly [string, string]) {
  const description = id === 'default' ? 'Default project' : null;
  return {
    name,
    id,
    description,
    health: 100,
    createdAt: '2026-01-01T00:00:00.000Z',
    mode: 'open',
    archivedAt: null,
  };
}

function listed(feature: UpstreamFeature) {
  const { name, type, description, stale, impressionData, createdAt, enabled, tags } = feature;
  const environments = ENVIRONMENTS.map((environment) => ({
    name: environment.name,
    enabled: enabled && environment.name === 'production',
    type: environment.type,
    variantCount: 0,
    hasStrategies: true,
  }));
  return {
    type,
    description,
    favorite: false,
    name,
    createdAt,
    stale,
    impressionData,
    ...(tags.length === 0 ? {} : { tags }),
    environments,
  };
}

function detailed(feature: UpstreamFeature) {
  const { environments, tags: _, ...rest } = listed(feature);
  return {
    ...rest,
    project: feature.project,
    archived: false,
    createdBy: { id: -42, name: 'Unleash Admin Token User', imageUrl: null },
    lifecycle: { stage: 'initial', enteredStageAt: '2026-11-22T10:00:00.000Z' },
    environments: environments.map(({ name, enabled }) => ({
      name,
      enabled,
      lastSeenAt: null,
      yes: 0,
      no: 0,
      variants: [],
      strategies: [
        {
          id: '01M81PBEJCPE82TQDJM83JG732',
          name: 'flexibleRollout',
          title: null,
          disabled: false,
          sortOrder: 0,
          parameters: { rollout: feature.rollout, stickiness: 'default', groupId: feature.name },
          constraints: [{ contextName: 'country', operator: 'IN', values: ['de'] }],
          segments: [],
          variants: [{ name: 'blue', weight: 1000, weightType: 'variable', stickiness: 'default' }],
        },
      ],
    })),
  };
}

function known(features: ReadonlyMap<string, UpstreamFeature>, name: string): UpstreamFeature {
  const feature = features.get(name);
  if (feature === undefined) throw new Error(`the upstream has no feature ${name}`);
  return feature;
}
