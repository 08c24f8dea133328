import { type ArrivedReport } from '#fleet/catalogue';
import { SAMPLE_TOPIC } from '#core/counting';
import { readRelayReport } from '#fleet/relays';
import type { SampleEnvironment } from '../shop/applications.ts';
import { SAMPLE_RELAYS, type SampleRelay } from '../shop/relays.ts';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
/** Relays with a longer interval do not count as silent for longer, so they report as seldom as is of use. */
const INTERVAL_MS = 15 * MINUTE_MS;

/** Stands for the token of the relays of the sample, which have none. */
export const SAMPLE_TOKEN = SAMPLE_TOPIC;

/** The last two reports of each relay. */
export function relayReportsOf(madeAt: number): ArrivedReport[] {
  return SAMPLE_RELAYS.flatMap((relay) => {
    const last = madeAt - (relay.silentForHours ?? 0) * HOUR_MS;
    return [last - INTERVAL_MS, last].map((receivedAt) => reportAt(relay, receivedAt));
  });
}

function reportAt(relay: SampleRelay, receivedAt: number): ArrivedReport {
  const read = readRelayReport(bodyOf(relay, { environment: relay.environment, receivedAt }));
  if ('problems' in read) throw new Error(`not a report: ${JSON.stringify(read.problems)}`);
  return { tokenId: SAMPLE_TOKEN, environment: relay.environment, receivedAt, relays: read.relays };
}

type Moment = { readonly environment: SampleEnvironment; readonly receivedAt: number };

/** As an Unleash Edge sends it (docs/develop/unleash.md#reports-of-relays). */
function bodyOf(relay: Omit<SampleRelay, 'environment'>, moment: Moment): object {
  const { name, region, version, runsForHours, requestsPerSecond, revision, nested = [] } = relay;
  const { environment, receivedAt } = moment;
  const requests = Math.round((requestsPerSecond * INTERVAL_MS) / 1000);
  const latency = 6 + (name.length % 7);
  return {
    identifier: name,
    appName: 'sample-edge',
    region,
    edgeVersion: version,
    hosting: 'self-hosted',
    started: new Date(receivedAt - runsForHours * HOUR_MS).toISOString(),
    requestsSinceLastReport: { '/api/client/features': { requests200: requests, requests304: 0 } },
    latencyUpstream: { features: { avg: latency, p99: 4 * latency, count: 240 } },
    processMetrics: { cpuUsage: 40 * runsForHours, memoryUsage: 38_000_000 + 60_000 * requestsPerSecond },
    connectedStreamingClients: Math.round(requestsPerSecond / 20),
    connectedEdges: nested.map((one) => bodyOf(one, moment)),
    edgeApiKeyRevisionIds: [{ environment, projects: ['*'], revisionId: revision }],
  };
}
