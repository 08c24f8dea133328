import { Agent, type OutgoingHttpHeaders, get } from 'node:http';
import { createHistogram } from 'node:perf_hooks';

export type Shape = {
  readonly title: string;
  readonly connections: number;
  readonly headers: OutgoingHttpHeaders;
  readonly status: number;
};

export type GetResult = { readonly perSecond: number; readonly p50Ms: number; readonly p99Ms: number };

const PATH = '/api/client/features';

/** What SDKs and relays ask: everything, everything compressed, whether something has changed. */
export async function shapesOf(url: string): Promise<readonly Shape[]> {
  const answer = await fetch(`${url}${PATH}`, { headers: { 'accept-encoding': 'identity' } });
  const bytes = (await answer.arrayBuffer()).byteLength;
  const etag = answer.headers.get('etag') ?? '';
  const full = { headers: { 'accept-encoding': 'identity' }, status: 200 };
  const gzip = { headers: { 'accept-encoding': 'gzip' }, status: 200 };
  const unchanged = { headers: { 'accept-encoding': 'gzip', 'if-none-match': etag }, status: 304 };
  return [
    { title: `200 with ${bytes} bytes, 16 connections`, connections: 16, ...full },
    { title: '200 with gzip, 16 connections', connections: 16, ...gzip },
    { title: '304, 16 connections', connections: 16, ...unchanged },
    { title: '304, one connection', connections: 1, ...unchanged },
  ];
}

/** A closed loop on each connection: the next request when the answer is whole. */
export async function getRepeatedly(url: string, shape: Shape, durationMs: number): Promise<GetResult> {
  const agent = new Agent({ keepAlive: true, maxSockets: shape.connections });
  const micros = createHistogram();
  const startedAt = performance.now();
  const loop = async (): Promise<void> => {
    while (performance.now() - startedAt < durationMs) {
      const sentAt = performance.now();
      await getOnce(`${url}${PATH}`, shape, agent);
      micros.record(Math.max(1, Math.round((performance.now() - sentAt) * 1000)));
    }
  };
  await Promise.all(Array.from({ length: shape.connections }, loop));
  const seconds = (performance.now() - startedAt) / 1000;
  agent.destroy();
  return {
    perSecond: micros.count / seconds,
    p50Ms: micros.percentile(50) / 1000,
    p99Ms: micros.percentile(99) / 1000,
  };
}

function getOnce(url: string, { headers, status }: Shape, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const request = get(url, { headers, agent }, (answer) => {
      if (answer.statusCode !== status)
        reject(new Error(`${url} answered ${answer.statusCode ?? 'nothing'}`));
      answer.resume();
      answer.once('end', resolve);
      answer.once('error', reject);
    });
    request.once('error', reject);
  });
}
