import type { BatchNames } from './names/batch-names.ts';
import type { RefusalLimits } from './refusals.ts';

/** What decides whether the metrics of a body are counted. */
export type AggregateOptions = {
  /** Epoch milliseconds; replaces a missing timestamp. */
  readonly receivedAt: number;
  /** The environment of the token; '*' allows every environment. */
  readonly allowedEnvironment: string;
  readonly limits: RefusalLimits;
  /** The names that the token may send in this hour; undefined means no limit. The caller commits them. */
  readonly names?: BatchNames | undefined;
};
