/** Bytes of requests that are being read or are waiting for Kafka. */
export const BYTES_IN_FLIGHT = 'flagmeter_ingest_bytes_in_flight';

/**
 * The value of a metric of the service's own process; 0 for a label that the service has not used yet. `name` may end
 * in `{label="value"}`.
 */
export async function readGauge(service: { readonly url: string }, name: string): Promise<number> {
  const metrics = await (await fetch(`${service.url}/internal-backstage/prometheus`)).text();
  const line = metrics
    .replaceAll(/process="standalone",?/g, '')
    .replaceAll('{}', '')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
