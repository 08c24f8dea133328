import {
  type OtlpAttributes,
  type OtlpRecord,
  logsBody,
  metricsBody,
} from '../../support/senders/otlp/otlp-bodies.ts';

/** How flagmeter stores an evaluation. Its result is unknown if it has no variant. */
export type StoredOutcome = {
  readonly reason: string;
  readonly errorType?: string;
  readonly hasVariant: boolean;
};

const WITH_VARIANT = { 'feature_flag.result.variant': 'on' };

/** What an evaluation gave: as a hook of OpenFeature sends it, and as flagmeter stores it. */
const OUTCOMES: readonly { readonly sent: OtlpAttributes; readonly stored: StoredOutcome }[] = [
  {
    sent: { 'feature_flag.result.reason': 'STATIC', ...WITH_VARIANT },
    stored: { reason: 'static', hasVariant: true },
  },
  {
    sent: { 'feature_flag.result.reason': 'targeting_match', ...WITH_VARIANT },
    stored: { reason: 'targeting_match', hasVariant: true },
  },
  {
    sent: { 'feature_flag.result.reason': 'error', 'error.type': 'PARSE_ERROR', ...WITH_VARIANT },
    stored: { reason: 'error', errorType: 'parse_error', hasVariant: true },
  },
  {
    sent: { 'feature_flag.result.reason': 'our own', ...WITH_VARIANT },
    stored: { reason: 'other', hasVariant: true },
  },
  { sent: { 'feature_flag.result.reason': 'split' }, stored: { reason: 'split', hasVariant: false } },
];

/** A counter for each outcome. */
export const COUNTERS = OUTCOMES.length;

type Setting = { readonly name: string; readonly appName: string; readonly isCumulative: boolean };
type Counted = { readonly feature: string; value: number; readonly sent: OtlpAttributes };

/** A body to send. Counters have their values since the start of the process, other evaluations their number. */
export type Content = {
  readonly signal: 'metrics' | 'logs';
  readonly kind: 'counters' | 'evaluations';
  readonly items: ReadonlyMap<string, number>;
  /** Whether the same bytes can only be a retry: the body has two times. */
  readonly isRecognised: boolean;
  readonly body: ReturnType<typeof metricsBody>;
};

/** What one life of a process with an SDK of OpenTelemetry collects. Its counters begin at 0. */
export class SdkProcess {
  readonly startedAt = Date.now();
  readonly #setting: Setting;
  readonly #counters = new Map<string, Counted>();
  #records: { readonly feature: string; readonly at: number; readonly sent: OtlpAttributes }[] = [];
  #collectedAt = this.startedAt;

  constructor(setting: Setting) {
    this.#setting = setting;
  }

  /** Counts evaluations. Returns how flagmeter stores their outcome. */
  count(feature: string, number: number, count: number): StoredOutcome {
    const { sent, stored } = outcomeOf(number);
    const counter = this.#counters.get(feature) ?? { feature, value: 0, sent };
    counter.value += count;
    this.#counters.set(feature, counter);
    return stored;
  }

  /** Records one evaluation. Returns as `count` does. */
  record(feature: string, number: number): StoredOutcome {
    const { sent, stored } = outcomeOf(number);
    this.#records.push({ feature, at: Date.now(), sent });
    return stored;
  }

  /** The values of cumulative counters at present, or what was not collected yet. */
  collect(): Content[] {
    return [this.#collectCounters(), this.#collectRecords()].filter((content) => content !== undefined);
  }

  #collectCounters(): Content | undefined {
    if (this.#counters.size === 0) return undefined;
    const { isCumulative } = this.#setting;
    const at = Date.now();
    const start = isCumulative ? this.startedAt : this.#collectedAt;
    this.#collectedAt = at;
    const counters = [...this.#counters.values()];
    const points = counters.map(({ feature, value, sent }) => ({
      time: nanoseconds(at),
      start: nanoseconds(start),
      int: BigInt(value),
      attributes: { 'feature_flag.key': feature, ...sent },
    }));
    const sums = { kind: 'sum', temporality: isCumulative ? 2 : 1, isMonotonic: true } as const;
    const items = new Map(counters.map(({ feature, value }) => [feature, value]));
    if (!isCumulative) this.#counters.clear();
    return {
      signal: 'metrics',
      kind: isCumulative ? 'counters' : 'evaluations',
      items,
      isRecognised: start < at,
      body: metricsBody([{ resource: this.#resource(), metrics: [{ name: COUNTER, ...sums, points }] }]),
    };
  }

  #collectRecords(): Content | undefined {
    const found = this.#records;
    if (found.length === 0) return undefined;
    this.#records = [];
    const items = new Map<string, number>();
    for (const { feature } of found) items.set(feature, (items.get(feature) ?? 0) + 1);
    const records = found.map(({ feature, at, sent }): OtlpRecord => ({
      time: nanoseconds(at),
      name: 'feature_flag.evaluation',
      attributes: { 'feature_flag.key': feature, ...sent },
    }));
    return {
      signal: 'logs',
      kind: 'evaluations',
      items,
      isRecognised: new Set(found.map(({ at }) => at)).size > 1,
      body: logsBody([{ resource: this.#resource(), records }]),
    };
  }

  #resource(): OtlpAttributes {
    const { name, appName } = this.#setting;
    return { 'service.name': appName, 'service.instance.id': name };
  }
}

const COUNTER = 'feature_flag.evaluations';

function outcomeOf(number: number): (typeof OUTCOMES)[number] {
  const outcome = OUTCOMES[number % OUTCOMES.length];
  if (outcome === undefined) throw new RangeError('there are outcomes');
  return outcome;
}

function nanoseconds(ms: number): bigint {
  return BigInt(ms) * 1_000_000n;
}
