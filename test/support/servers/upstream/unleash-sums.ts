import type { ServerResponse } from 'node:http';
import type { UpstreamRequest } from './upstream.ts';

type Row = {
  readonly featureName: string;
  readonly appName: string;
  readonly environment: string;
  readonly timestamp: string;
  readonly yes: number;
  readonly no: number;
  readonly variants: Readonly<Record<string, number>>;
};
type Body = {
  readonly applications: readonly { readonly appName: string }[];
  readonly metrics: readonly Row[];
  readonly impactMetrics?: readonly Impact[];
};
type Impact = {
  readonly name: string;
  readonly samples: readonly { readonly value: number; readonly labels: Readonly<Record<string, string>> }[];
};

/** Adds up bulk bodies like Unleash: counts every request, including repeated ones. */
export class UnleashSums {
  /** Yes, no and variants by environment, application, feature and hour; values of counters by name and labels. */
  readonly #sums = new Map<string, number>();
  readonly apps = new Set<string>();
  /** Evaluations that were counted without an answer. */
  unanswered = 0;

  /** Counts a request and answers 202. */
  readonly take = (request: UpstreamRequest, response: ServerResponse): void => {
    this.#count(request);
    response.writeHead(202).end();
  };

  /**
   * Counts a request without an answer. These counts are kept apart from the sums, because the request is expected
   * again.
   */
  takeSilently({ body }: UpstreamRequest): void {
    const { metrics } = JSON.parse(body) as Body; // the mirror wrote it
    for (const { yes, no } of metrics) this.unanswered += yes + no;
  }

  toObject(): Record<string, number> {
    return Object.fromEntries([...this.#sums].sort(([a], [b]) => (a < b ? -1 : 1)));
  }

  /** The sum of all yes. */
  get yes(): number {
    return totalYes(this.toObject());
  }

  #count({ body }: UpstreamRequest): void {
    const { applications, metrics, impactMetrics = [] } = JSON.parse(body) as Body; // the mirror wrote it
    for (const { name, samples } of impactMetrics)
      for (const { value, labels } of samples) this.#add(keyOfImpact(name, labels), value);
    for (const { appName } of applications) this.apps.add(appName);
    for (const { environment, appName, featureName, timestamp, yes, no, variants } of metrics) {
      const key = [environment, appName, featureName, timestamp].join(' ');
      this.#add(`${key} yes`, yes);
      this.#add(`${key} no`, no);
      for (const [variant, count] of Object.entries(variants)) this.#add(`${key} =${variant}`, count);
    }
  }

  #add(key: string, count: number): void {
    if (count > 0) this.#sums.set(key, (this.#sums.get(key) ?? 0) + count);
  }
}

/** The sum of all counters in sums of this form. */
export function totalMeasured(sums: Readonly<Record<string, number>>): number {
  return Object.entries(sums).reduce(
    (sum, [key, value]) => (key.startsWith('impact ') ? sum + value : sum),
    0,
  );
}

/** The key of a counter in sums of this form. */
export function keyOfImpact(name: string, labels: Readonly<Record<string, string>>): string {
  return `impact ${name} ${JSON.stringify(Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1)))}`;
}

/** The sum of all yes in sums of this form. */
export function totalYes(sums: Readonly<Record<string, number>>): number {
  return Object.entries(sums).reduce((sum, [key, count]) => (key.endsWith(' yes') ? sum + count : sum), 0);
}
