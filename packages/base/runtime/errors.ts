/** An error of flagmeter. Code may depend on the stable `code`; the message is for people. */
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
