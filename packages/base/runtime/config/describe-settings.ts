import { configSchema } from './settings/config-schema.ts';

type Setting = {
  readonly name: string;
  /** Without secrets; empty if it has none. */
  readonly value: string;
  /** `environment`, the file that `NAME_FILE` names, `default`, or `not set`. */
  readonly source: string;
};

type Env = Readonly<Record<string, string | undefined>>;
type Property = {
  readonly description: string;
  readonly default?: string | number | boolean;
  readonly isSecret?: boolean;
};

/** Each setting and where its value comes from, whether or not the values are valid. */
export function describeSettings(env: Env): Setting[] {
  return Object.entries<Property>(configSchema.properties).map(([name, property]) => ({
    name,
    ...valueOf(env, name, property),
  }));
}

function valueOf(env: Env, name: string, { default: standard, isSecret = false }: Property) {
  const value = env[name] ?? '';
  if (value !== '') return { value: isSecret ? HIDDEN : withoutCredentials(value), source: 'environment' };
  const file = env[`${name}_FILE`] ?? '';
  // Values are usually in files because they are secret.
  if (file !== '') return { value: HIDDEN, source: `file ${file}` };
  const text = standard === undefined ? '' : String(standard);
  return { value: text, source: text === '' ? 'not set' : 'default' };
}

const HIDDEN = '(hidden)';

/**
 * Of addresses. Hides too much rather than too little: a password may hold any character, and a wrong address may hide one
 * anywhere.
 */
function withoutCredentials(value: string): string {
  return value.replace(/\/\/.*@/s, '//***@').replace(/\?.*$/s, '?***');
}
