/** The report of an Unleash Edge about itself, as Edge 20 sends it. */
export function aRelayReport(members: object = {}): object {
  return {
    identifier: '01K3EDGE0000000000000000AA',
    appName: 'unleash-edge',
    hosting: 'self-hosted',
    region: 'eu-west-1',
    edgeVersion: '20.4.1',
    processMetrics: { cpuUsage: 12, memoryUsage: 52_428_800 },
    started: '2026-11-25T08:00:00Z',
    traffic: {
      cachedResponses: {},
      get: { '/api/client/features': { avg: 1.2, count: 4000, p99: 4 } },
      post: {},
      accessDenied: { '/api/client/features': { avg: 0.2, count: 7, p99: 1 } },
    },
    latencyUpstream: {
      features: { avg: 11.5, count: 240, p99: 48.25 },
      metrics: { avg: 21, count: 60, p99: 60 },
      edge: { avg: null, count: 0, p99: 0 },
    },
    requestsSinceLastReport: {
      '/api/client/features': { requests200: 100, requests304: 25 },
      '/api/client/metrics': { requests200: 5, requests304: 0 },
    },
    connectedStreamingClients: 3,
    connectedEdges: [],
    connectionConsumptionSinceLastReport: { features: [], metrics: [] },
    requestConsumptionSinceLastReport: [{ meteredGroup: 'default', requests: 130 }],
    edgeApiKeyRevisionIds: [
      {
        environment: 'production',
        projects: ['*'],
        revisionId: 412,
        lastUpdated: '2026-11-25T09:59:12.348217Z',
      },
    ],
    ...members,
  };
}
