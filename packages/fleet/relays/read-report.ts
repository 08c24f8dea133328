import {
  MAX_ENVIRONMENT_LENGTH,
  type SchemaProblem,
  parseTimestamp,
  problemOfName,
  problemsOf,
  compileGuard,
} from '#base/schema';
import type { RelayState, Revision } from './report-message.ts';
import { type RelayReportBody, relayReportSchema } from './report-schema.ts';

/** Further nested relays of a report are left out. Relays are chained two or three deep. */
export const MAX_NESTED_RELAYS = 100;
const MAX_DEPTH = 4;
/** Keys (environments with their projects) that a relay holds; further ones are left out. */
const MAX_REVISIONS = 20;
const MAX_PROJECTS = 100;
/** No relay gets near these, and sums of them fit into 64 bits. */
const MOST = 1e12;
const MOST_BYTES = 1e15;
/** The range of a DateTime of ClickHouse. */
const LAST_TIME_MS = 4_294_967_295_000;

const isReport = compileGuard<RelayReportBody>(relayReportSchema);

type Nesting = { readonly parentId: string | undefined; readonly depth: number };
type Waiting = Nesting & { readonly body: unknown; readonly pointer: string };

/**
 * The relay that sent a report, and after it the relays that report to it, directly or through others. Or the problems of the
 * body, if any of these relays does not match the schema.
 */
export function readRelayReport(body: unknown): { relays: RelayState[] } | { problems: SchemaProblem[] } {
  const relays = new Map<string, RelayState>();
  const waiting: Waiting[] = [{ body, pointer: '', parentId: undefined, depth: 0 }];
  for (const { body: one, pointer, ...nesting } of waiting) {
    if (!isReport(one))
      return {
        problems: problemsOf(isReport).map(({ path, ...rest }) => ({ path: `${pointer}${path}`, ...rest })),
      };
    const state = stateOf(one, nesting);
    const key = JSON.stringify([state.appName, state.relayId]);
    relays.set(key, merged(relays.get(key), state));
    if (nesting.depth === MAX_DEPTH) continue;
    const room = MAX_NESTED_RELAYS + 1 - waiting.length;
    for (const [index, nested] of (one.connectedEdges ?? []).slice(0, room).entries())
      waiting.push({
        body: nested,
        pointer: `${pointer}/connectedEdges/${index}`,
        parentId: state.relayId,
        depth: nesting.depth + 1,
      });
  }
  return { relays: [...relays.values()] };
}

/** A relay lists a nested one twice if that reported twice since its own last report. */
function merged(earlier: RelayState | undefined, later: RelayState): RelayState {
  if (earlier === undefined) return later;
  return {
    ...later,
    parentId: earlier.parentId,
    depth: earlier.depth,
    requests: Math.min(MOST, earlier.requests + later.requests),
  };
}

function stateOf(body: RelayReportBody, { parentId, depth }: Nesting): RelayState {
  const { processMetrics, latencyUpstream } = body;
  return {
    appName: body.appName,
    relayId: body.identifier,
    parentId,
    depth,
    version: body.edgeVersion || undefined,
    region: body.region || undefined,
    hosting: body.hosting || undefined,
    startedAt: startOf(body),
    requests: requestsOf(body),
    refusedTotal: refusedOf(body),
    cpuSecondsTotal: bounded(processMetrics?.cpuUsage, MOST),
    memoryBytes: whole(processMetrics?.memoryUsage, MOST_BYTES),
    streamingClients: whole(body.connectedStreamingClients, 2 ** 31 - 1),
    latency: {
      features: latencyOf(latencyUpstream?.features),
      metrics: latencyOf(latencyUpstream?.metrics),
      reports: latencyOf(latencyUpstream?.edge),
    },
    revisions: (body.edgeApiKeyRevisionIds ?? [])
      .filter(isStorable)
      .slice(0, MAX_REVISIONS)
      .map(({ environment, projects, revisionId }) => ({
        environment,
        projects: [...new Set(projects)].sort(),
        revision: revisionId,
      })),
  };
}

/** An Edge whose token names no environment has an empty one. That must not cost the report. */
function isStorable({ environment, projects }: Pick<Revision, 'environment' | 'projects'>): boolean {
  return (
    problemOfName(environment, MAX_ENVIRONMENT_LENGTH) === undefined &&
    projects.length <= MAX_PROJECTS &&
    projects.every((project) => problemOfName(project) === undefined)
  );
}

function startOf({ started }: RelayReportBody): number | undefined {
  const time = started ? parseTimestamp(started) : undefined;
  return time !== undefined && time >= 0 && time <= LAST_TIME_MS ? time : undefined;
}

/** Answers with 2xx and 304. */
function requestsOf({ requestsSinceLastReport }: RelayReportBody): number {
  let sum = 0;
  for (const counts of Object.values(requestsSinceLastReport ?? {}))
    sum += (counts?.requests200 ?? 0) + (counts?.requests304 ?? 0);
  return Math.min(Math.round(sum), MOST);
}

/** Answers with 403 since the relay started. */
function refusedOf({ traffic }: RelayReportBody): number | undefined {
  if (!traffic?.accessDenied) return undefined;
  let sum = 0;
  for (const counts of Object.values(traffic.accessDenied)) sum += counts?.count ?? 0;
  return Math.min(Math.round(sum), MOST);
}

type LatencyBody = NonNullable<RelayReportBody['latencyUpstream']>['features'];

/** A relay that has sent nothing yet has no average. */
function latencyOf(body: LatencyBody): RelayState['latency']['features'] {
  if (!body || typeof body.avg !== 'number' || body.count === 0) return undefined;
  return { averageMs: Math.min(body.avg, MOST), p99Ms: Math.min(body.p99 ?? body.avg, MOST) };
}

function bounded(value: number | null | undefined, most: number): number | undefined {
  return typeof value === 'number' ? Math.min(value, most) : undefined;
}

function whole(value: number | null | undefined, most: number): number | undefined {
  return typeof value === 'number' ? Math.min(Math.round(value), most) : undefined;
}
