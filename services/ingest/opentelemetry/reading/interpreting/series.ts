import { type Evaluation, seriesKeyOf, showValue } from '#core/counting';
import type { FoundPoint, Problem, Scope } from '../found.ts';
import { type Attributes, textOf } from '../mapping.ts';

/**
 * The values of attributes that distinguish series, as text that is the same in both encodings: a letter for the type, and the value.
 * Others nest.
 */
export const SCALAR = {
  none: () => '',
  text: (value: string) => `t${value}`,
  boolean: (value: boolean) => `b${value}`,
  integer: (value: bigint) => `i${value}`,
  double: (value: number) => `d${value}`,
} as const;

/** More than SDKs keep by default. */
export const MAX_ATTRIBUTES = 128;
/** The longest text that tells counters apart: of a scope, a metric, an instance, a namespace or an attribute. */
const MAX_TEXT = 1024;

/** Hashes the name once for all points, and only if there are any: a body may have half a million scopes. */
export function scopeOf(name: string, version: string): Scope {
  let key: ReturnType<Scope> | undefined;
  return () =>
    (key ??=
      problemOfLength('scope name', name) ??
      problemOfLength('scope version', version) ??
      seriesKeyOf([name, version]));
}

/** Of signals that have no counters. */
export const NO_SCOPE = scopeOf('', '');

type Of = { readonly scope: Scope; readonly metric: string };

/**
 * Which values of a scope belong together: its metric, and all attributes in any order, each as name and value; or why the point is
 * refused. Without a list, the attributes are too many, or one of them nests.
 */
export function seriesOfPoint(
  { scope, metric }: Of,
  attributes: readonly (readonly [name: string, value: string])[] | undefined,
): string | Problem {
  const ofScope = scope();
  if (typeof ofScope !== 'string') return ofScope;
  const ofMetric = problemOfLength('metric', metric);
  if (ofMetric !== undefined) return ofMetric;
  if (attributes === undefined)
    return { reason: 'unreadable_attributes', sample: showValue('metric', metric) };
  const texts: string[] = [];
  for (const [name, value] of attributes) {
    const problem = problemOfLength('attribute', name) ?? problemOfLength(name, value.slice(1));
    if (problem !== undefined) return problem;
    texts.push(withLength(withLength(name) + value));
  }
  return `${ofScope}${withLength(metric)}${texts.sort().join('')}`;
}

/** With its length before it, so that no other list of texts is joined to the same one. */
function withLength(text: string): string {
  return `${text.length} ${text}`;
}

type SeriesOwner = { readonly appName: string; readonly environment: string };

/**
 * Names the process whose counters a resource has; or why they are refused; undefined if the sender does not name its instance. What a collector adds to a resource later does not matter:
 * namespace, name and instance of a service are unique.
 */
export function processOf(
  resource: Attributes,
  { appName, environment }: SeriesOwner,
): string | Problem | undefined {
  const instance = textOf(resource, 'instance');
  if (instance === undefined) return undefined;
  const namespace = textOf(resource, 'namespace') ?? '';
  return (
    problemOfLength('service.instance.id', instance) ??
    problemOfLength('service.namespace', namespace) ??
    seriesKeyOf([environment, namespace, appName, instance])
  );
}

/** The counter of a process. */
export function counterOf(
  process: string,
  series: string,
  { startedAt }: Pick<FoundPoint, 'startedAt'>,
): NonNullable<Evaluation['counter']> {
  return { series: seriesKeyOf([process, series]), startedAt: Math.round(startedAt * 1000) };
}

function problemOfLength(field: string, value: string): Problem | undefined {
  return value.length > MAX_TEXT ? { reason: 'key_too_long', sample: showValue(field, value) } : undefined;
}
