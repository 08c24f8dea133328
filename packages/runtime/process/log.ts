import { type Logger, pino } from 'pino';

export type Log = Logger;

/**
 * JSON lines on standard output. Only fields that we name reach it: no headers, no bodies, no secrets. Of an error
 * only type, code, message and stack, for libraries hang requests and connection strings on theirs.
 */
export function createLog(service: string, level = 'info'): Log {
  return pino({
    // An unknown level is for readConfig to report, through this very log.
    level: level in pino.levels.values ? level : 'info',
    base: { name: service },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: describeError },
  });
}

function describeError(error: unknown): unknown {
  if (!(error instanceof Error)) return { message: String(error) };
  const code = 'code' in error ? String(error.code) : undefined;
  const cause = error.cause === undefined ? undefined : describeError(error.cause);
  return { type: error.name, code, message: error.message, stack: error.stack, cause };
}
