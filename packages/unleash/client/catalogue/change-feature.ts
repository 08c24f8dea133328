import { errorOf, expectStatus } from '../answers.ts';
import type { Unleash, UnleashAnswer } from '../client.ts';
import { parseEvents } from './read-catalogue.ts';
import type { UnleashEvent } from './shapes.ts';

export type FeatureChange = {
  readonly project: string;
  readonly name: string;
  /** The API hides archived features without it. */
  readonly state?: { readonly environment: string; readonly isEnabled: boolean };
};

/** The result of a change. `event` is the event that Unleash wrote; undefined if the feature already had that state. */
export type ChangeResult =
  | { readonly outcome: 'done'; readonly event: UnleashEvent | undefined }
  | { readonly outcome: 'unknown feature' }
  | { readonly outcome: 'rejected'; readonly reason: string };

export type FeatureChanger = (change: FeatureChange) => Promise<ChangeResult>;

const TIMEOUT_MS = 10_000;

/**
 * Changes features of Unleash by its admin API. Rejects with an UnleashError. After `unleash-unreached` it is unknown whether
 * Unleash made the change.
 */
export function createFeatureChanger(unleash: Unleash, adminToken: string): FeatureChanger {
  const call = (method: 'GET' | 'POST' | 'DELETE', path: string): Promise<UnleashAnswer> =>
    unleash.call({ method, path: `/api/admin${path}`, secret: adminToken, timeoutMs: TIMEOUT_MS });
  const newestEvent = async (change: FeatureChange): Promise<UnleashEvent | undefined> =>
    parseEvents(await call('GET', `/search/events?${eventQuery(change).toString()}`)).events[0];
  return async (change) => {
    const before = await newestEvent(change);
    const { project, name, state } = change;
    const path = `/projects/${encodeURIComponent(project)}/features/${encodeURIComponent(name)}`;
    const answer = await (state === undefined
      ? call('DELETE', path)
      : call(
          'POST',
          `${path}/environments/${encodeURIComponent(state.environment)}/${state.isEnabled ? 'on' : 'off'}`,
        ));
    const rejection = rejectionOf(answer);
    if (rejection !== undefined) return rejection;
    expectStatus(answer, state === undefined ? 202 : 200);
    const after = await newestEvent(change);
    return { outcome: 'done', event: after?.id === before?.id ? undefined : after };
  };
}

function eventQuery({ name, state }: FeatureChange): URLSearchParams {
  const type = state === undefined ? 'archived' : `environment-${state.isEnabled ? 'enabled' : 'disabled'}`;
  return new URLSearchParams({
    limit: '1',
    feature: `IS:${name}`,
    type: `IS:feature-${type}`,
    ...(state === undefined ? {} : { environment: `IS:${state.environment}` }),
  });
}

const LONGEST_REASON = 500;

/** The reason why Unleash rejects a change. Its sentence is for the caller of our API. */
function rejectionOf(answer: UnleashAnswer): ChangeResult | undefined {
  const { status } = answer;
  if (status < 400 || status >= 500 || status === 401 || status === 429) return undefined;
  const { name, message } = errorOf(answer);
  if (status === 404 && name === 'NotFoundError') return { outcome: 'unknown feature' };
  return { outcome: 'rejected', reason: message?.slice(0, LONGEST_REASON) ?? `It answered ${status}.` };
}
