import type { KeySpace } from './keys.ts';

export type LoadOptions = KeySpace & {
  /** Where batches are posted to. */
  readonly url: string;
  readonly token: string;
  /** Requests per second whatever the server does, or as many as the connections can carry. */
  readonly rate: number | 'maximum';
  readonly rowsPerBody: number;
  readonly connections: number;
  readonly seconds: number;
  /** How long an answer is waited for. */
  readonly timeoutMs: number;
  /** Called once a second. */
  readonly onProgress?: (progress: Progress) => void;
  /** Ends the load early; what is on its way is still waited for. */
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
