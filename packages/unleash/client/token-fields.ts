import type { TokenType } from '#base/tokens';

/** The names of types in Unleash. Backend is its new name for client tokens. */
const TYPES = new Map<unknown, TokenType>([
  ['client', 'client'],
  ['backend', 'client'],
  ['frontend', 'frontend'],
  ['admin', 'admin'],
]);

/** The type with this name of Unleash, in upper or lower case; undefined if we do not know it. */
export function tokenTypeOf(name: unknown): TokenType | undefined {
  return TYPES.get(typeof name === 'string' ? name.toLowerCase() : name);
}

/** The names of projects; empty means every project, which Unleash writes as `*`. Undefined if this is not a list of names. */
export function projectsOf(list: unknown): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((name): name is string => typeof name === 'string');
  if (names.length !== list.length) return undefined;
  return names.includes('*') ? [] : names;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
