import {
  type CountedBatch,
  DuplicateWindow,
  type LogMessage,
  buildBlock,
  deduplicationToken,
} from '#core/counting';
import { sumsOfBlocks } from './naive-sums.ts';

/** An INSERT as ClickHouse receives it. Its key identifies it fully: the token and the counts. */
export type InsertRequest = {
  readonly key: string;
  readonly token: string;
  readonly from: number;
  readonly to: number;
  /** The count of each feature. */
  readonly counts: ReadonlyMap<string, number>;
  readonly batches: readonly CountedBatch[];
};

export type InsertRequests = {
  /** The request for messages [from, to) by a worker that knows these batches. */
  build(range: readonly [from: number, to: number], known: readonly CountedBatch[]): InsertRequest;
  find(key: string): InsertRequest;
};

/** Builds requests with the worker's own functions, each distinct request once. */
export function createInsertRequests(log: readonly LogMessage[]): InsertRequests {
  const requests = new Map<string, InsertRequest>();
  const built = new Map<string, InsertRequest>();
  return {
    build(range, known) {
      const question = JSON.stringify([range, known]);
      const request = built.get(question) ?? buildRequest(log, range, known);
      built.set(question, request);
      requests.set(request.key, request);
      return request;
    },
    find(key) {
      const request = requests.get(key);
      if (request === undefined) throw new Error(`nobody sent ${key}`);
      return request;
    },
  };
}

function buildRequest(
  log: readonly LogMessage[],
  [from, to]: readonly [number, number],
  known: readonly CountedBatch[],
): InsertRequest {
  const window = new DuplicateWindow(45_000);
  window.remember({ batches: known, messages: from, appendedTo: 0 });
  const range = { topic: 'counts', epoch: 1, partition: 0, from: BigInt(from), to: BigInt(to) };
  const { block } = buildBlock(range, log.slice(from, to), { duplicates: window });
  const sums = Object.entries(sumsOfBlocks([block])).filter(([name]) => name.endsWith('"yes"]'));
  const counts = new Map(sums.map(([name, sum]) => [featureOf(name), Number(sum)]));
  const token = deduplicationToken(range);
  const key = [token, ...[...counts].map(([feature, count]) => `${feature}=${count}`)].join(' ');
  return { key, token, from, to, counts, batches: block.batches };
}

function featureOf(sumName: string): string {
  const [feature]: unknown[] = JSON.parse(sumName) as unknown[];
  return String(feature);
}
