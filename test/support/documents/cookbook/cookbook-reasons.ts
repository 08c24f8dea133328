import type { GivenReason } from '../../builders/builders.ts';
import type { DemoHour } from './cookbook-traffic.ts';

/**
 * Two applications send their evaluations as OpenTelemetry, each from another system. On the last day, a release of the mobile API asks
 * for flags before its provider is ready.
 */
export function demoReasons({ daysAgo }: DemoHour, environment: string): readonly GivenReason[] {
  if (environment !== 'production') return [];
  const given = (app: string, share: number, why: Omit<GivenReason, 'countOf'>): GivenReason => ({
    ...why,
    countOf: ({ appName, evaluations }) => (appName === app ? Math.floor(evaluations * share) : 0),
  });
  const provider = 'flagd';
  return [
    given('mobile-api', 0.6, { reason: 'targeting_match', provider }),
    given('mobile-api', 0.3, { reason: 'default', provider }),
    given('mobile-api', 0.001, { reason: 'error', errorType: 'type_mismatch', provider }),
    given('mobile-api', daysAgo === 1 ? 0.05 : 0.002, {
      reason: 'error',
      errorType: 'provider_not_ready',
      provider,
    }),
    given('search-api', 1, { reason: 'static', provider: 'launchdarkly' }),
  ];
}
