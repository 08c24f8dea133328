import { AsyncLocalStorage } from 'node:async_hooks';

export type Attributes = Readonly<Record<string, string | number | boolean>>;

export type SpanOptions = {
  /** The role of this process, as OpenTelemetry defines it. */
  readonly kind: 'server' | 'client' | 'producer' | 'consumer';
  /** Never secrets, and nothing that a caller may choose freely, because traces leave the installation. */
  readonly attributes?: Attributes;
};

/** A span that is recorded. */
export type Span = {
  readonly traceId: string;
  /** For whoever continues the trace: https://www.w3.org/TR/trace-context/#traceparent-header */
  readonly traceparent: string;
  /** False after the end. */
  isRecording(): boolean;
  child(name: string, options: SpanOptions): Span;
  rename(name: string): void;
  set(attributes: Attributes): void;
  /** Ends the span. A failure is recorded with its code or class; its message may contain values, and stays here. */
  end(failure?: unknown): void;
};

export type Tracing = {
  /** A span with its own trace or the trace of `parent`, a traceparent. Undefined if it is not sampled. */
  start(name: string, options: StartOptions): Span | undefined;
  /** Sends what waits, for two seconds at most. */
  stop(): Promise<void>;
};

export type StartOptions = SpanOptions & {
  readonly parent?: string | undefined;
  /** Other traces that led to this span, as traceparents. If one of them is sampled, so is this span. */
  readonly links?: readonly string[];
};

const current = new AsyncLocalStorage<Span>();

/** The span of the work that calls; undefined if nothing is traced, or the span has ended. */
export function currentSpan(): Span | undefined {
  const span = current.getStore();
  return span?.isRecording() === true ? span : undefined;
}

/** Runs work in a span. The caller ends the span. */
export function inSpan<T>(span: Span, work: () => T): T {
  return current.run(span, work);
}

/** Runs work in a span, which ends with it. */
export async function withinSpan<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    const result = await inSpan(span, work);
    span.end();
    return result;
  } catch (error) {
    span.end(error);
    throw error;
  }
}

/** Runs work in a child of the current span. Without one it costs a look, and `describe` is not called. */
export function traced<T>(
  describe: () => SpanOptions & { readonly name: string },
  work: () => Promise<T>,
): Promise<T> {
  const span = currentSpan();
  if (span === undefined) return work();
  const { name, ...options } = describe();
  return withinSpan(span.child(name, options), work);
}
