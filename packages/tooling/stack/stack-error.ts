export type StackErrorCode =
  | 'port-taken'
  | 'running'
  | 'port-invalid'
  | 'not-installed'
  | 'not-ready'
  | 'command-failed'
  | 'deadline';

/** A failure of the stack whose message is for the user who started it. */
export class StackError extends Error {
  readonly code: StackErrorCode;

  constructor(code: StackErrorCode, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StackError';
    this.code = code;
  }
}
