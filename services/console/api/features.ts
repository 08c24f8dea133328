import type { ReadonlySignal } from '@preact/signals';
import type { Answer, Api } from './client.ts';
import { type Resource, useReading, useResource } from './resource.ts';
import type { Feature, Project, Verdict, Verdicts } from './types.ts';

const EVERY_MS = 30_000;
const MAX_VERDICTS = 1000;

/** The active features of all projects. */
export function useFeatures(): Resource<readonly Feature[]> {
  return useReading('features of all projects', readFeatures, { everyMs: EVERY_MS });
}

/** The verdicts, of one feature or of all; read again after `again` changes. */
export function useVerdicts(feature?: string, again?: ReadonlySignal<unknown>): Resource<Verdicts> {
  const query = new URLSearchParams({
    limit: String(MAX_VERDICTS),
    ...(feature === undefined ? {} : { feature }),
  });
  return useResource(`api/admin/metrics/verdicts?${query.toString()}`, { everyMs: EVERY_MS, again });
}

/** One project after the other, because a caller may read few lists at the same time. */
async function readFeatures(api: Api, signal: AbortSignal): Promise<Answer<readonly Feature[]>> {
  const projects = await api.get<{ readonly projects: readonly Project[] }>('api/admin/projects', signal);
  if (projects.problem !== undefined) return projects;
  const features: Feature[] = [];
  for (const { id } of projects.body.projects) {
    const path = `api/admin/projects/${encodeURIComponent(id)}/features`;
    const list = await api.get<{ readonly features: readonly Feature[] }>(path, signal);
    if (list.problem !== undefined) return list;
    features.push(...list.body.features);
  }
  return { body: features };
}

/** The verdicts of each feature. */
export function byFeature(verdicts: readonly Verdict[]): ReadonlyMap<string, readonly Verdict[]> {
  const found = new Map<string, Verdict[]>();
  for (const verdict of verdicts) {
    if (verdict.featureName === null) continue;
    const others = found.get(verdict.featureName);
    if (others === undefined) found.set(verdict.featureName, [verdict]);
    else others.push(verdict);
  }
  return found;
}
