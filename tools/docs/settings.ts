import { configSchema } from '#base/runtime';
import { csvOf } from './csv.ts';

/** The content of docs/operate/settings.csv: each setting as the schema has it. */
export function settingsCsv(): string {
  const rows = Object.entries(configSchema.properties).map(rowOf);
  return csvOf([['setting', 'default', 'bounds', 'meaning'], ...rows]);
}

type Property = (typeof configSchema.properties)[keyof typeof configSchema.properties];

const REQUIRED: readonly string[] = configSchema.required;

function rowOf([name, property]: [string, Property]): string[] {
  return [name, defaultOf(name, property), boundsOf(property), property.description];
}

/** Without a default a setting is empty. */
function defaultOf(name: string, property: Property): string {
  if (REQUIRED.includes(name)) return 'required';
  return 'default' in property ? String(property.default) : '';
}

function boundsOf(property: Property): string {
  return property.type === 'integer' ? `${property.minimum} to ${property.maximum}` : '';
}
