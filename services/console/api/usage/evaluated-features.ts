import { useCallback } from 'preact/hooks';
import { useConsole } from '../../console.ts';
import { pathTo } from '../../state/paths/path.ts';
import { windowOf } from '../../state/time/window.ts';
import { type Read, type Resource, useReading } from '../requests/resource.ts';
import type { EvaluatedFeature } from '../../types.ts';

const EVERY_MS = 30_000;
const PAGE = 100;

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
      return api.get<EvaluatedFeatures>(pathTo`api/admin/search/evaluated-features?${query}`, signal);
    },
    [key],
  );
  return useReading(key, read, { everyMs: EVERY_MS });
}
