import type { Config } from '#runtime';

/**
 * The part that one of several equal processes has of the limits. Distinct names are not divided: each process sees the same
 * names. Rates are shared through Redis.
 */
export function shareOf(config: Config): Config {
  const { processes, http, ingest, unleash, postgres, admin } = config;
  const part = (total: number): number => Math.ceil(total / processes);
  /** A process with one connection would answer nothing while a query is slow. */
  const pool = (total: number): number => Math.min(total, Math.max(2, part(total)));
  const { maxBytes, maxRequests } = ingest.inFlight;
  return {
    ...config,
    http: {
      ...http,
      maxConnections: part(http.maxConnections),
      maxConnectionsPerAddress: part(http.maxConnectionsPerAddress),
    },
    ingest: {
      ...ingest,
      inFlight: { maxBytes: Math.floor(maxBytes / processes), maxRequests: part(maxRequests) },
    },
    // Rounded down, because requests to Unleash may use half of the connections.
    unleash: unleash && { ...unleash, maxRequests: Math.max(1, Math.floor(unleash.maxRequests / processes)) },
    postgres: { ...postgres, maxConnections: pool(postgres.maxConnections) },
    admin: { ...admin, maxConnections: pool(admin.maxConnections) },
  };
}
