import type { ErrorObject, ValidateFunction } from 'ajv';
import { createAjv } from '#base/schema';
import { ConfigError } from '../errors.ts';
import { amountOf } from '../words.ts';
import { contradictionsOf } from './config-contradictions.ts';
import { configFormats } from './config-formats.ts';
import { type Environment, configSchema } from './settings/config-schema.ts';
import { readNamedFile } from './tls.ts';

/** Checks the environment against the schema of the settings. A ConfigError lists all problems at once, and never contains a value. */
export function readEnvironment(env: Readonly<Record<string, string | undefined>>): Environment {
  const set = Object.fromEntries(
    Object.entries(withFiles(env)).filter(([, value]) => value !== undefined && value !== ''),
  );
  const { settings, problems } = parseEnvironment(set);
  if (settings !== undefined && problems.length === 0) return settings;
  throw new ConfigError(
    `The configuration has ${amountOf(problems.length, 'problem')}:\n  ${problems.join('\n  ')}`,
  );
}

type Parsed = { readonly settings?: Environment; readonly problems: readonly string[] };

function parseEnvironment(data: Readonly<Record<string, unknown>>): Parsed {
  const settings = { ...data };
  if (isEnvironment(settings)) return { settings, problems: contradictionsOf(settings, Object.keys(data)) };
  return { problems: (isEnvironment.errors ?? []).map(describe) };
}

const isEnvironment = compileGuard();

/** Converts the environment to the types of the schema, fills in defaults, and drops variables that are not ours. */
function compileGuard(): ValidateFunction<Environment> {
  const ajv = createAjv({ allErrors: true, coerceTypes: true, useDefaults: true, removeAdditional: true });
  ajv.addKeyword('why');
  ajv.addKeyword('share');
  ajv.addKeyword('isSecret');
  for (const [name, validate] of Object.entries(configFormats))
    ajv.addFormat(name, { type: 'string', validate });
  return ajv.compile<Environment>({ ...configSchema, additionalProperties: false });
}

/** Reads a setting from the file in NAME_FILE, as is usual for secrets of Docker and Kubernetes. */
function withFiles(env: Readonly<Record<string, string | undefined>>): Record<string, string | undefined> {
  const fromFiles = Object.keys(configSchema.properties).flatMap((name) => {
    const setting = `${name}_FILE`;
    const path = env[setting] ?? '';
    if (path === '') return [];
    if (name === 'LOG_LEVEL')
      throw new ConfigError(
        `${setting} has no effect, because the log starts before files are read: set ${name}`,
      );
    if ((env[name] ?? '') !== '') throw new ConfigError(`${name} and ${setting} exclude each other`);
    return [[name, readNamedFile({ setting, path }).replace(/\r?\n$/, '')] as const];
  });
  return { ...env, ...Object.fromEntries(fromFiles) };
}

/** Describes one problem with the name of its variable, never with its value. */
function describe({ instancePath, keyword, message, params }: ErrorObject): string {
  if (keyword === 'required') return `${String(params['missingProperty'])} is required`;
  const name = instancePath.slice(1);
  const properties: Readonly<Record<string, Property>> = configSchema.properties;
  if (keyword === 'format') return `${name} must be: ${properties[name]?.description ?? 'of another form'}`;
  if (Array.isArray(params['allowedValues']))
    return `${name} must be one of: ${params['allowedValues'].join(', ')}`;
  if (keyword === 'minimum' || keyword === 'maximum') return describeBounds(name, properties[name]);
  return `${name} ${message ?? 'is not valid'}`;
}

type Property = {
  readonly description: string;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly why?: string;
};

function describeBounds(
  name: string,
  { minimum, maximum, why = '' }: Property = { description: '' },
): string {
  return `${name} must be ${String(minimum)} to ${String(maximum)}${why && `, because ${why}`}`;
}
