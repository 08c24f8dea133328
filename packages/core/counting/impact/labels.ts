import { showValue } from '../refusal-sample.ts';
import type { createNameChecks } from '../refusals.ts';
import { isRecord } from '../encoding/guards.ts';
import type { ImpactLabels } from './impact-sample.ts';
import { type SampleProblem, invalidMember } from './problem.ts';

/** More than the flags of a measurement and the static context of an SDK need. */
export const MAX_LABELS = 30;

/** The labels of a sample: numbers, and true and false, as text, in the order of their names, so that equal sets are equal lists. */
export function readLabels(
  labels: unknown,
  checks: ReturnType<typeof createNameChecks>,
): ImpactLabels | SampleProblem {
  if (labels != null && !isRecord(labels)) return invalidMember('labels', labels);
  const entries = Object.entries(labels ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  if (entries.length > MAX_LABELS) return { reason: 'too_many_labels', sample: `${entries.length} labels` };
  const labelNames: string[] = [];
  const labelValues: string[] = [];
  for (const [name, value] of entries) {
    const ofName = checks.name(name);
    if (ofName !== undefined) return { reason: ofName, sample: showValue('label', name) };
    if (!isTextual(value)) return invalidMember(name, value);
    const text = String(value);
    const ofValue = text === '' ? undefined : checks.name(text);
    if (ofValue !== undefined) return { reason: ofValue, sample: showValue(name, text) };
    labelNames.push(name);
    labelValues.push(text);
  }
  return { labelNames, labelValues };
}

/** Whether Unleash makes text of a value. */
export function isTextual(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'boolean' || typeof value === 'number';
}

/** The value of a label; undefined if it is absent or empty. */
export function valueOfLabel({ labelNames, labelValues }: ImpactLabels, name: string): string | undefined {
  return labelValues[labelNames.indexOf(name)] || undefined;
}
