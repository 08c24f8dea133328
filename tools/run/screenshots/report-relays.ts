import { listOf } from '../local-tokens.ts';

const HOUR_MS = 3_600_000;

type Target = { readonly url: string; readonly clientTokens: string };

/** Three relays of the made-up shop report about themselves; two more are behind one of them. */
export async function reportRelays({ url, clientTokens }: Target): Promise<void> {
  const authorization = listOf(clientTokens).find((secret) => secret.startsWith('*:production.')) ?? '';
  const inShops = [
    aReport({ identifier: 'berlin-store', region: null, edgeVersion: '19.8.0', hours: 900, requests: 240 }),
    aReport({ identifier: 'paris-store', region: null, edgeVersion: '20.4.1', hours: 30, requests: 380 }),
  ];
  for (const report of [
    aReport({ identifier: 'eu-west-a', region: 'eu-west-1', hours: 75, requests: 51_000, nested: inShops }),
    aReport({ identifier: 'eu-west-b', region: 'eu-west-1', hours: 75, requests: 48_200 }),
    aReport({ identifier: 'us-east-a', region: 'us-east-1', hours: 310, requests: 9300, revisionId: 405 }),
  ]) {
    const answer = await fetch(`${url}/api/client/metrics/edge`, {
      method: 'POST',
      headers: { authorization, 'content-type': 'application/json' },
      body: JSON.stringify(report),
    });
    if (answer.status !== 202) throw new Error(`a report got ${answer.status}`);
  }
}

type Shape = {
  readonly identifier: string;
  readonly region: string | null;
  readonly edgeVersion?: string;
  /** Since it started. */
  readonly hours: number;
  /** In the last minute. */
  readonly requests: number;
  readonly revisionId?: number;
  readonly nested?: readonly object[];
};

function aReport({ identifier, region, hours, requests, nested = [], ...shape }: Shape): object {
  const { edgeVersion = '20.4.1', revisionId = 412 } = shape;
  const latency = 6 + (requests % 7);
  return {
    ...{ identifier, appName: 'unleash-edge', region, edgeVersion, connectedEdges: nested },
    started: new Date(Date.now() - hours * HOUR_MS).toISOString(),
    requestsSinceLastReport: { '/api/client/features': { requests200: requests, requests304: 0 } },
    latencyUpstream: { features: { avg: latency, p99: 4 * latency, count: 240 } },
    processMetrics: { cpuUsage: 40 * hours, memoryUsage: 38_000_000 + 900 * requests },
    connectedStreamingClients: Math.round(requests / 1200),
    edgeApiKeyRevisionIds: [{ environment: 'production', projects: ['*'], revisionId }],
  };
}
