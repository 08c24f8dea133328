import { FlagmeterError } from '#runtime';

/**
 * Why Unleash gave us nothing:
 *   unleash-unreached  no whole answer in time: whether Unleash acted is unknown
 *   unleash-busy       not sent: too many of our own requests are waiting
 *   unleash-status     Unleash answered with a status that is no success
 *   unleash-answer     Unleash answered something that is not what its API says
 */
export type UnleashTrouble = 'unleash-unreached' | 'unleash-busy' | 'unleash-status' | 'unleash-answer';

type UnleashErrorOptions = ErrorOptions & {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
};

/** Its message never holds a secret or a part of an answer. */
export class UnleashError extends FlagmeterError {
  declare readonly code: UnleashTrouble;
  /** Of `unleash-status`. */
  readonly status: number | undefined;
  /** Of a 429 that says when to come back. */
  readonly retryAfterMs: number | undefined;

  constructor(code: UnleashTrouble, message: string, options: UnleashErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
