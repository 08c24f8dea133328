import type { Found, FoundPoint, Into } from './found.ts';
import { type AttributeValue, type Attributes, textOf } from './mapping.ts';
import { type MetricKind, kindOfEvent, kindOfPoint, kindOfSpan } from './recognise.ts';

type Read = {
  readonly name: string;
  readonly at: number;
  readonly attributes: Attributes;
  readonly body?: AttributeValue;
};

/** Adds a log record or an event of a span, if it is an evaluation. Returns whether it is. */
export function addEvent(
  { name, at, attributes, body }: Read,
  { found, budget, unclear, cursor }: Into,
): boolean {
  const kind = kindOfEvent({ name, attributes, body });
  if (kind === 'unclear') unclear.add(name);
  if (kind === 'unclear' || kind === 'other') return false;
  budget.add(found, { place: cursor.place, at, attributes, body, isFailure: kind === 'failure' });
  return true;
}

/**
 * Adds a span that is an evaluation. Its events were added at `firstEvent` and after it. A hook that makes a span may add an event
 * to it, so an event of the same flag is the same evaluation.
 */
export function addSpan(
  { name, at, attributes, firstEvent }: Read & { readonly firstEvent: number },
  { found, budget, unclear, cursor }: Into,
): void {
  const kind = kindOfSpan({ name, attributes });
  if (kind === 'other' || hasEventOf(textOf(attributes, 'feature'), found, firstEvent)) return;
  if (kind === 'unclear') unclear.add(name);
  else budget.add(found, { place: cursor.place, at, attributes });
}

/** Adds a point of a sum, if it counts evaluations. */
export function addPoint(
  one: Found & { readonly point: FoundPoint },
  ofMetric: MetricKind,
  { found, budget, unclear }: Into,
): void {
  const { kind, metric } = one.point;
  // Counters that are known are refused with their reason if they are no counters.
  const judged = ofMetric === 'by point' && kind === 'other' ? 'none' : ofMetric;
  const kindOfOne = kindOfPoint(one.attributes, judged);
  if (kindOfOne === 'evaluation') budget.add(found, one);
  else if (kindOfOne === 'unclear') unclear.add(metric);
}

function hasEventOf(feature: string | undefined, found: readonly Found[], firstEvent: number): boolean {
  for (let i = firstEvent; i < found.length; i += 1) {
    const event = found[i];
    if (event !== undefined && (feature === undefined || textOf(event.attributes, 'feature') === feature))
      return true;
  }
  return false;
}
