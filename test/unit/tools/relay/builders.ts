import type { RelayApplication } from '#tooling/traffic';
import type { Clock, RelayBatch, RelayMetric, Transport } from '../../../../tools/relay/index.ts';

const UNKNOWN_ORIGIN = {
  sdkVersion: null,
  sdkType: null,
  yggdrasilVersion: null,
  platformName: null,
  platformVersion: null,
};

export function aRelayMetric(members: Partial<RelayMetric>): RelayMetric {
  return {
    featureName: 'new-basket',
    appName: 'checkout',
    environment: 'production',
    timestamp: '2026-11-21T10:15:00Z',
    yes: 1,
    no: 0,
    variants: {},
    ...UNKNOWN_ORIGIN,
    ...members,
  };
}

export function aRelayApplication(members: Partial<RelayApplication>): RelayApplication {
  return {
    appName: 'checkout',
    connectVia: [{ appName: 'unleash-edge', instanceId: 'relay-1' }],
    environment: 'production',
    instanceId: null,
    connectionId: null,
    interval: 15_000,
    started: '2026-11-21T10:00:00Z',
    strategies: ['default'],
    ...UNKNOWN_ORIGIN,
    ...members,
  };
}

export function aRelayBatch(members: Partial<RelayBatch>): RelayBatch {
  return { applications: [], metrics: [], impactMetrics: [], seenTokens: [], ...members };
}

/** The body of a batch without impact metrics and seen tokens. */
export function bodyOf({ applications, metrics }: RelayBatch): string {
  return JSON.stringify({ applications, metrics });
}

/** Metrics whose batch has exactly that many bytes. */
export function metricsOfSize(sizeBytes: number): RelayMetric[] {
  const metrics = Array.from({ length: 200 }, () => aRelayMetric({}));
  const missing = sizeBytes - bodyOf(aRelayBatch({ metrics })).length;
  return [
    aRelayMetric({ featureName: 'new-basket'.padEnd(missing + 'new-basket'.length, 'x') }),
    ...metrics.slice(1),
  ];
}

/** A clock that skips every wait and records it. */
export function aClock(): Clock & { readonly pausesMs: number[] } {
  let now = Date.UTC(2026, 10, 21, 10, 15);
  const pausesMs: number[] = [];
  return {
    pausesMs,
    now: () => now,
    sleep(ms) {
      pausesMs.push(ms);
      now += ms;
      return Promise.resolve();
    },
  };
}

/** Answers each try with the next of `answers`, and all further ones with the last; 'nothing' is a lost answer. */
export function aTransport(...answers: (number | 'nothing')[]): Transport & { readonly bodies: string[] } {
  const bodies: string[] = [];
  return {
    bodies,
    post({ body }) {
      const answer = answers[Math.min(bodies.length, answers.length - 1)] ?? 'nothing';
      bodies.push(Buffer.from(body).toString());
      return answer === 'nothing' ? Promise.reject(new Error('no answer')) : Promise.resolve(answer);
    },
    close: () => undefined,
  };
}
