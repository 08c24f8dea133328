import { NetworkError } from '../network.ts';

/** Errors as kafkajs 2.2.4 throws them, as far as our code looks at them. */
class KafkaJsError extends Error {
  constructor(name: string, message: string) {
    super(message);
    this.name = name;
  }
}

/** An answer with an error code. */
export class ProtocolError extends KafkaJsError {
  readonly type: string;

  constructor(type: string) {
    super('KafkaJSProtocolError', type);
    this.type = type;
  }
}

/** What kafkajs makes of a call without an answer. */
export function connectionError(error: unknown): unknown {
  if (!(error instanceof NetworkError)) return error;
  const name = {
    refused: 'KafkaJSConnectionError',
    reset: 'KafkaJSConnectionClosedError',
    timeout: 'KafkaJSRequestTimeoutError',
  }[error.kind];
  return new KafkaJsError(name, error.message);
}
