import type { Exchange } from './exchange.ts';
import { type Span, type Tracing, inSpan } from '#base/runtime';
import { labelsOf } from './request-labels.ts';

/**
 * Gives each request a span, which continues the trace of the caller. It ends with the answer; that of a stream of events ends
 * with its head, because such an answer may last for hours. Only the template of the path is recorded: a path holds names.
 */
export function traceRequests(tracing: Tracing) {
  return async (ctx: Exchange, next: () => Promise<unknown>): Promise<void> => {
    const span = tracing.start(ctx.method, { kind: 'server', parent: ctx.get('traceparent') });
    if (span === undefined) {
      await next();
      return;
    }
    ctx.res.once('close', () => {
      endSpan(span, ctx);
    });
    await inSpan(span, next);
    if (isStream(ctx)) endSpan(span, ctx);
  };
}

function isStream({ res }: Exchange): boolean {
  return String(res.getHeader('Content-Type') ?? '').startsWith('text/event-stream');
}

function endSpan(span: Span, ctx: Exchange): void {
  if (!span.isRecording()) return;
  const { route, method } = labelsOf(ctx);
  span.rename(`${method} ${route}`);
  span.set({ 'http.request.method': method, 'http.route': route });
  if (ctx.respond === false) {
    span.end('no answer');
    return;
  }
  span.set({ 'http.response.status_code': ctx.status });
  span.end(ctx.status >= 500 ? String(ctx.status) : undefined);
}
