/** An error of ours: `code` is stable and may be acted upon, the message is for people. */
export class FlagmeterError extends Error {
  readonly code: string;

  constructor(code: string, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = new.target.name;
    this.code = code;
  }
}

export class ConfigError extends FlagmeterError {
  constructor(message: string, options?: ErrorOptions) {
    super('config', message, options);
  }
}
