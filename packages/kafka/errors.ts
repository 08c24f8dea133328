/** kafkajs wraps: the outermost error says how often it tried, the innermost what happened. */
export function rootCause(error: unknown): unknown {
  let cause = error;
  while (cause instanceof Error && cause.cause instanceof Error) cause = cause.cause;
  return cause;
}

/** The name of the Kafka error code that an answer carried, undefined if it was not an answer that failed. */
export function errorCodeOf(error: unknown): string | undefined {
  const cause = rootCause(error);
  return cause instanceof Error && 'type' in cause && typeof cause.type === 'string' ? cause.type : undefined;
}
