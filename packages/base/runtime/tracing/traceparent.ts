import type { SpanContext } from './library.ts';

/** https://www.w3.org/TR/trace-context/#traceparent-header */
const TRACEPARENT = /^([\da-f]{2})-([\da-f]{32})-([\da-f]{16})-([\da-f]{2})$/;

/** The context of a caller; undefined if the text is none, or has one of the forbidden values. */
export function parseTraceparent(text: string): SpanContext | undefined {
  const [, version, traceId = '', spanId = '', flags = ''] = TRACEPARENT.exec(text) ?? [];
  if (version === undefined || version === 'ff') return undefined;
  if (/^0+$/.test(traceId) || /^0+$/.test(spanId)) return undefined;
  return { traceId, spanId, traceFlags: Number.parseInt(flags, 16), isRemote: true };
}

/** The same text if it is well-formed, so that it may be logged, stored and sent on. */
export function wellFormedTraceparent(text: string): string | undefined {
  return TRACEPARENT.test(text) ? text : undefined;
}
