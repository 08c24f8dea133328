import type { TokenType } from '#tokens';

/** Unleash's names of types; backend tokens are those that were client tokens. */
const TYPES = new Map<unknown, TokenType>([
  ['client', 'client'],
  ['backend', 'client'],
  ['frontend', 'frontend'],
  ['admin', 'admin'],
]);

/** The type that Unleash calls so, in any case; undefined if we know none. */
export function tokenTypeOf(name: unknown): TokenType | undefined {
  return TYPES.get(typeof name === 'string' ? name.toLowerCase() : name);
}

/** Empty is every project, as `*` is for Unleash; undefined if it is no list of names. */
export function projectsOf(list: unknown): string[] | undefined {
  if (!Array.isArray(list)) return undefined;
  const names = list.filter((name): name is string => typeof name === 'string');
  if (names.length !== list.length) return undefined;
  return names.includes('*') ? [] : names;
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
