/**
 * The outcome of sending messages to Kafka. `not-stored` is certain. `too-large` is certain too: the topic never accepts these
 * messages in one send. With `unknown` the messages may be stored, now or when a frozen broker resumes. With `throttled` nothing was
 * written, because the broker wants no requests for this time.
 */
export type SendOutcome =
  | {
      readonly outcome: 'stored';
      /** Time of the append by the broker's clock, epoch milliseconds; undefined if the broker does not set it. */
      readonly appendedAt?: number | undefined;
    }
  | { readonly outcome: 'not-stored' | 'too-large' | 'unknown'; readonly reason: string }
  | { readonly outcome: 'throttled'; readonly reason: string; readonly waitMs: number };
