import type { Answer, Api } from './client.ts';
import { type Resource, useReading } from './resource.ts';
import type { Applications } from './types.ts';

const EVERY_MS = 30_000;
const PAGE = 100;
const MAX_PAGES = 10;

/** The first thousand applications, by name, and their number. */
export function useApplications(): Resource<Applications> {
  return useReading('applications', readApplications, { everyMs: EVERY_MS });
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
