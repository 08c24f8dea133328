import { type Logger, pino } from 'pino';
import { currentSpan } from './tracing/span.ts';

export type Log = Logger;

/**
 * Logs JSON lines to standard output. Only named fields are logged: no headers, bodies or secrets. Of errors only type, code,
 * message and stack are logged, because libraries attach requests and connection strings to them. Lines of traced work name the
 * trace.
 */
export function createLog(service: string, level = 'info'): Log {
  return pino({
    // readConfig reports an unknown level, and it needs a log to do so.
    level: level in pino.levels.values ? level : 'info',
    base: { name: service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
    mixin: traceOf,
  });
}

/** The id of the current trace, so that lines and spans find each other. */
function traceOf(): { readonly traceId?: string } {
  const span = currentSpan();
  return span === undefined ? {} : { traceId: span.traceId };
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? String(error.code) : undefined;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, code, message: error.message, stack: error.stack, cause };
}
