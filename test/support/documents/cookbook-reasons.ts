import type { GivenReason } from '../builders/builders.ts';
import type { DemoHour } from './cookbook-traffic.ts';

const APP = 'mobile-api';

/** The mobile API sends its evaluations as OpenTelemetry. On the last day, a release asks for flags before its provider is ready. */
export function demoReasons({ daysAgo }: DemoHour, environment: string): readonly GivenReason[] {
  if (environment !== 'production') return [];
  const ofApp =
    (share: number): NonNullable<GivenReason['countOf']> =>
    ({ appName, evaluations }) =>
      appName === APP ? Math.floor(evaluations * share) : 0;
  return [
    { reason: 'targeting_match', countOf: ofApp(0.6) },
    { reason: 'default', countOf: ofApp(0.3) },
    { reason: 'error', errorType: 'type_mismatch', countOf: ofApp(0.001) },
    { reason: 'error', errorType: 'provider_not_ready', countOf: ofApp(daysAgo === 1 ? 0.05 : 0.002) },
  ];
}
