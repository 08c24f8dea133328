import type { ApiToken } from '#base/tokens';

/** The names and numbers that every simulated installation has. */
export const COUNTS = 'flagmeter.counts';
export const APPLICATIONS = 'flagmeter.applications';
export const DEAD_LETTERS = 'flagmeter.dead-letters';
export const COUNTS_GROUP = 'flagmeter-counts';
export const APPLICATIONS_GROUP = 'flagmeter-applications';
export const MIRROR_GROUP = 'flagmeter-mirror';
export const MIRRORED_APPLICATIONS_GROUP = 'flagmeter-mirror-applications';
/** How a message begins that ingest did not send. */
export const FOREIGN = 'foreign';
export const WINDOW_MS = 45_000;
export const APPLICATIONS_PARTITIONS = 1;
export const ENVIRONMENT = 'production';

/** The client token of a relay, or of the mirror. */
export function tokenOf(name: string): { readonly secret: string; readonly token: ApiToken } {
  const token = {
    id: `token of ${name}`,
    name,
    type: 'client',
    environment: ENVIRONMENT,
    projects: [],
    expiresAt: undefined,
  } as const;
  return { secret: `*:${ENVIRONMENT}.${name}-0123456789abcdef0123456789abcdef`, token };
}
