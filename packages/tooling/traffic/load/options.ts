import type { KeySpace } from './bodies/keys.ts';

export type LoadOptions = KeySpace & {
  /** The URL that receives the batches. */
  readonly url: string;
  readonly token: string;
  /** A fixed number of requests per second, or as many as the connections can carry. */
  readonly rate: number | 'maximum';
  readonly rowsPerBody: number;
  /**
   * Batches of a relay of Unleash, the bucket of one SDK of Unleash, or delta counters of OpenTelemetry in one of its encodings. A row is
   * then a toggle, or a point.
   */
  readonly format?: 'unleash' | 'sdk' | 'protobuf' | 'json';
  /**
   * Each request has the headers of Edge, unknown metadata in each row, and registers one application. There are as many
   * instances of each as connections, the same in every run.
   */
  readonly imitatesEdge?: boolean;
  /** Each body has impact metrics: a counter and a histogram with two series each. */
  readonly measures?: boolean;
  /** The timestamps of a body spread over this time before the start. The default is 0. */
  readonly spanMs?: number;
  readonly connections: number;
  readonly seconds: number;
  /** The maximum time for an answer. */
  readonly timeoutMs: number;
  /** Called once a second. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the load early; requests in flight still get their answers. */
  readonly signal?: AbortSignal;
};

export type Progress = {
  readonly second: number;
  /** In the last second. */
  readonly requests: number;
  readonly rows: number;
  /** Since the start, in milliseconds. */
  readonly p99: number;
  readonly failures: number;
};
