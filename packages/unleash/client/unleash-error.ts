import { FlagmeterError } from '#base/runtime';

/**
 * Why a request to Unleash failed:
 *   unleash-unreached  no complete answer in time: it is unknown whether Unleash acted
 *   unleash-busy       not sent, because too many of our own requests are waiting
 *   unleash-status     Unleash answered with a status that is not a success
 *   unleash-answer     the answer does not match the API of Unleash
 */
export type UnleashTrouble = 'unleash-unreached' | 'unleash-busy' | 'unleash-status' | 'unleash-answer';

type UnleashErrorOptions = ErrorOptions & {
  readonly status?: number;
  readonly retryAfterMs?: number | undefined;
};

/** Its message never contains a secret or a part of an answer. */
export class UnleashError extends FlagmeterError {
  declare readonly code: UnleashTrouble;
  /** Of `unleash-status`. */
  readonly status: number | undefined;
  /** The time of a 429 after which we may ask again. */
  readonly retryAfterMs: number | undefined;

  constructor(code: UnleashTrouble, message: string, options: UnleashErrorOptions = {}) {
    super(code, message, options);
    this.status = options.status;
    this.retryAfterMs = options.retryAfterMs;
  }
}
