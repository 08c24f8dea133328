/** kafkajs wraps errors: the outermost says how often it tried, the innermost says what happened. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause;
}

/** The Kafka error code in an answer; undefined if the error was not an answer. */
export function errorCodeOf(error: unknown): string | undefined {
  const cause = rootCause(error);
  return cause instanceof Error && 'type' in cause && typeof cause.type === 'string' ? cause.type : undefined;
}
