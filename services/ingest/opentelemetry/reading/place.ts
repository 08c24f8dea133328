import type { OtlpSignal } from './signals.ts';

/** The names of the lists that a body nests. */
const LISTS: Readonly<Record<OtlpSignal, readonly string[]>> = {
  logs: ['resourceLogs', 'scopeLogs', 'logRecords'],
  traces: ['resourceSpans', 'scopeSpans', 'spans', 'events'],
  metrics: ['resourceMetrics', 'scopeMetrics', 'metrics', 'dataPoints'],
};

/** A place in a body of OTLP: the index in each list, -1 for those that it does not reach. Its text is made only if it is shown. */
export class BodyPlace {
  readonly #signal: OtlpSignal;
  readonly #indexes: readonly number[];

  constructor(signal: OtlpSignal, indexes: readonly number[]) {
    this.#signal = signal;
    this.#indexes = indexes;
  }

  /** A JSON pointer, in both encodings. */
  get pointer(): string {
    return LISTS[this.#signal].map((list, level) => textOf(list, this.#indexes[level] ?? -1)).join('');
  }
}

function textOf(list: string, index: number): string {
  return index < 0 ? '' : `/${list}/${index}`;
}

/** Where a reader is. */
export class Cursor {
  readonly #signal: OtlpSignal;
  #resource = -1;
  #scope = -1;
  #item = -1;
  #inner = -1;

  constructor(signal: OtlpSignal) {
    this.#signal = signal;
  }

  get place(): BodyPlace {
    return new BodyPlace(this.#signal, [this.#resource, this.#scope, this.#item, this.#inner]);
  }

  nextResource(): void {
    this.#resource += 1;
    this.#scope = this.#item = this.#inner = -1;
  }

  nextScope(): void {
    this.#scope += 1;
    this.#item = this.#inner = -1;
  }

  /** The next log record, span or metric. */
  nextItem(): void {
    this.#item += 1;
    this.#inner = -1;
  }

  /** The next event of a span, or data point of a metric. */
  nextInner(): void {
    this.#inner += 1;
  }

  /** Back to the item, behind its inner ones. */
  leaveInner(): void {
    this.#inner = -1;
  }
}
