import type { Application } from '#core/counting';
import { aFreshMetric, bodyOf } from '../requests/post.ts';
import { rawHead } from '../requests/raw-http.ts';
import { PATIENCE_MS, push } from '../stories/load.ts';
import { OTHER_CLIENT_TOKEN } from '../world.ts';
import { type Crowd, gatherCrowd } from './crowd.ts';

/** Size of the largest body. MAX_BYTES_IN_FLIGHT has room for 655 such declared bodies. */
export const BODY_BYTES = 102_400;
const ENDLESS = rawHead('/edge/metrics', {
  Authorization: OTHER_CLIENT_TOKEN,
  'Content-Type': 'application/json',
  'Content-Length': BODY_BYTES,
});
const HOUR_MS = 3_600_000;

/** Declares the largest body on each connection, and sends its first byte. */
export function announceBodies(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: `${ENDLESS}{`, from });
}

/** Sends the largest body on each connection, without its last byte. */
export function withholdLastBytes(url: string, from: string, count: number): Promise<Crowd> {
  return gatherCrowd(url, count, { request: ENDLESS + ' '.repeat(BODY_BYTES - 1), from });
}

/** 8,000 variants of one feature, in 80 metrics of at most 100 variants. */
export const DEAREST = bodyOf({
  metrics: Array.from({ length: 80 }, (_, metric) =>
    aFreshMetric({
      environment: 'development',
      variants: Object.fromEntries(Array.from({ length: 100 }, (_each, at) => [`v${metric * 100 + at}`, 1])),
    }),
  ),
});

/** Sends one body as the attacker. Returns the status, or the error. */
export async function pushAsAttacker(url: string, body: string): Promise<string> {
  const answer = await push({ url, body, token: OTHER_CLIENT_TOKEN, timeoutMs: PATIENCE_MS });
  return typeof answer === 'string' ? answer : String(answer.status);
}

/** 100 combinations of ten features and ten applications, in an hour that many hours ago. */
export function combinationsOf(hoursAgo: number, environment: string): string {
  const timestamp = new Date(Date.now() - hoursAgo * HOUR_MS).toISOString();
  const metrics = Array.from({ length: 100 }, (_, at) =>
    aFreshMetric({
      featureName: `feature-${at % 10}`,
      appName: `app-${Math.floor(at / 10)}`,
      environment,
      timestamp,
      yes: 1,
    }),
  );
  return bodyOf({ metrics });
}

/** Metrics with new features, applications and variants each time. */
export function newNames(round: number): string {
  const metrics = Array.from({ length: 300 }, (_, at) =>
    aFreshMetric({
      featureName: `new-${round}-${at}`,
      appName: `new-${round}-${at % 50}`,
      environment: 'development',
      variants: { [`new-${round}-${at}`]: 1 },
    }),
  );
  return bodyOf({ metrics });
}

/** An application with many projects and strategies. */
export function wideApplication(
  appName: string,
  wide: { projects?: number; strategies?: number },
): Application {
  return {
    appName,
    ...(wide.projects === undefined ? {} : { projects: namesOf('project', wide.projects) }),
    ...(wide.strategies === undefined ? {} : { strategies: namesOf(appName, wide.strategies) }),
  };
}

export function namesOf(kind: string, count: number): string[] {
  return Array.from({ length: count }, (_, index) => `${kind}-${index}`);
}
