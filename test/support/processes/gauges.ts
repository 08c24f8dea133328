/** Bytes of requests that are read or wait for Kafka. */
export const BYTES_IN_FLIGHT = 'flagmeter_ingest_bytes_in_flight';

/** What a service shows of a metric, in the front of its own part; 0 for a label that it has not used yet. `name` may end in `{label="value"}`. */
export async function readGauge(service: { readonly url: string }, name: string): Promise<number> {
  const metrics = await (await fetch(`${service.url}/internal-backstage/prometheus`)).text();
  const line = metrics
    .replaceAll(/process="front",?/g, '')
    .replaceAll('{}', '')
    .split('\n')
    .find((candidate) => candidate.startsWith(`${name} `));
  return line === undefined ? 0 : Number(line.slice(name.length + 1));
}
