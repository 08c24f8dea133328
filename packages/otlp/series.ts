import { seriesKeyOf } from '#counting';
import type { FoundPoint } from './found.ts';
import { type Attributes, textOf } from './mapping.ts';

/** The values of attributes that distinguish series, as text that is the same in both encodings. Others nest. */
export const SCALAR = {
  none: () => '',
  text: (value: string) => `text ${value}`,
  boolean: (value: boolean) => `boolean ${value}`,
  integer: (value: bigint) => `integer ${value}`,
  double: (value: number) => `double ${value}`,
} as const;

export function scopeText(name: string, version: string): string {
  return JSON.stringify([name, version]);
}

/** More than SDKs keep by default. */
export const MAX_ATTRIBUTES = 128;

/** Which values of a scope belong together: its metric, and all attributes in any order, each as name and value. */
export function seriesOfPoint(
  { scope, metric }: { readonly scope: string; readonly metric: string },
  attributes: readonly (readonly [name: string, value: string])[],
): string {
  return JSON.stringify([scope, metric, attributes.map((pair) => JSON.stringify(pair)).toSorted()]);
}

/**
 * The counter of a process. What a collector adds to a resource later does not matter: namespace, name and instance of a service are unique.
 * Undefined if the sender does not name its instance, or an attribute of the point is unreadable.
 */
export function counterOf(
  resource: Attributes,
  { appName, environment }: { readonly appName: string; readonly environment: string },
  { series, startedAt }: FoundPoint,
): { readonly series: string; readonly startedAt: number } | undefined {
  const instance = textOf(resource, 'instance');
  if (instance === undefined || series === undefined) return undefined;
  const parts = [environment, textOf(resource, 'namespace') ?? '', appName, instance, series];
  return { series: seriesKeyOf(parts), startedAt: Math.round(startedAt * 1000) };
}
