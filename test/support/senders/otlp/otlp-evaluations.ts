import { expect } from 'chai';
import {
  type AggregateOptions,
  type AggregatedEvaluations,
  aggregateEvaluations,
  inOneGo,
} from '#core/counting';
import {
  type OtlpSignal,
  evaluationsOf,
  readOtlp,
} from '../../../../services/ingest/opentelemetry/reading/index.ts';
import { aggregateOptions } from '../../builders/builders.ts';
import type { Encoded } from './otlp-bodies.ts';

/** What a body holds. */
export function foundIn(signal: OtlpSignal, protobuf: Uint8Array) {
  const found = inOneGo(readOtlp(signal, { protobuf }));
  if ('problem' in found) throw new Error(found.problem);
  return found;
}

/** What is counted with a token of an environment. */
export function aggregateFound(
  found: Parameters<typeof evaluationsOf>[0],
  options: Partial<AggregateOptions> = {},
): AggregatedEvaluations {
  const all = aggregateOptions(options);
  const evaluations = evaluationsOf(found, { environment: all.allowedEnvironment });
  return inOneGo(aggregateEvaluations(evaluations, all));
}

/** What is counted of a body, a line for each evaluation: feature, result, variant, reason and error; the count if it is not 1. */
export function countedOf(signal: OtlpSignal, protobuf: Uint8Array): string[] {
  const found = foundIn(signal, protobuf);
  return Array.from(evaluationsOf(found, { environment: '*' }), (one) =>
    [
      one.featureName,
      RESULTS[one.result],
      one.variant ?? '-',
      one.reason,
      ...(one.errorType === undefined ? [] : [one.errorType]),
      ...(one.count === 1 ? [] : [String(one.count)]),
      ...(one.problem === undefined ? [] : [one.problem.reason]),
    ].join(' '),
  );
}

const RESULTS = { enabled: 'yes', disabled: 'no', unknown: 'unknown' } as const;

/** As `countedOf`, in both encodings. */
export function countedOfBoth(signal: OtlpSignal, { protobuf, json }: Encoded): string[] {
  const found = foundIn(signal, protobuf);
  expect(inOneGo(readOtlp(signal, { json: JSON.parse(json) as unknown }))).to.deep.equal(found);
  return countedOf(signal, protobuf);
}

/** How many things name a flag but are not counted, with the first one. */
export function unclearOf(signal: OtlpSignal, protobuf: Uint8Array): string {
  const found = foundIn(signal, protobuf);
  return `${found.unclear.count} ${found.unclear.example}`.trim();
}
