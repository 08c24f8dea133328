import { useCallback } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { windowOf } from '../../state/window.ts';
import { useMayReadAll } from '../caller.ts';
import type { Answer, Api } from '../requests/client.ts';
import { type Read, type Resource, useReading } from '../requests/resource.ts';
import type { Applications, EvaluatedFeature } from '../../types.ts';

const EVERY_MS = 30_000;
const PAGE = 100;
const MAX_PAGES = 10;

/** The first thousand applications, by name, and their number. */
export function useApplications(): Resource<Applications> {
  const key = useMayReadAll() === true ? 'applications' : undefined;
  return useReading(key, readApplications, { everyMs: EVERY_MS });
}

async function readApplications(api: Api, signal: AbortSignal): Promise<Answer<Applications>> {
  const applications: Applications['applications'] = [];
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const path = `api/admin/metrics/applications?limit=${PAGE}&offset=${page * PAGE}`;
    const answer = await api.get<Applications>(path, signal);
    if (answer.problem !== undefined) return answer;
    applications.push(...answer.body.applications);
    if (applications.length >= answer.body.total || answer.body.applications.length === 0)
      return { body: { total: answer.body.total, applications } };
  }
  return { body: { total: applications.length, applications } };
}

export type EvaluatedFeatures = {
  readonly items: readonly EvaluatedFeature[];
  readonly nextCursor: string | null;
};

const HOUR_MS = 3_600_000;

/** What an application evaluated in the time window of the URL: a page, the features with most evaluations first. */
export function useEvaluatedFeatures(appName: string, cursor: string): Resource<EvaluatedFeatures> {
  const { hours } = windowOf(useConsole().router.route.value.query['window']);
  const key = `evaluated features ${JSON.stringify([appName, cursor, hours])}`;
  const read = useCallback<Read<EvaluatedFeatures>>(
    (api, signal) => {
      const from = new Date(Date.now() - hours * HOUR_MS).toISOString();
      const query = new URLSearchParams({ appName, from, limit: String(PAGE) });
      if (cursor !== '') query.set('cursor', cursor);
      return api.get<EvaluatedFeatures>(`api/admin/search/evaluated-features?${query.toString()}`, signal);
    },
    [key],
  );
  return useReading(key, read, { everyMs: EVERY_MS });
}
