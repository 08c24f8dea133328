import { configSchema } from '#base/runtime';

const BEGIN = '<!-- settings: written by `make dictionary` -->\n';
const END = '<!-- end of the settings -->';

/** The document with the list of settings as the schema has them. */
export function withSettings(document: string): string {
  const begin = document.indexOf(BEGIN);
  const end = document.indexOf(END);
  if (begin < 0 || end < begin) throw new Error(`the document lacks the lines ${BEGIN.trim()} and ${END}`);
  const lines = Object.entries(configSchema.properties).map(lineOf);
  return `${document.slice(0, begin)}${BEGIN}${lines.join('\n')}\n${document.slice(end)}`;
}

type Property = (typeof configSchema.properties)[keyof typeof configSchema.properties];

const REQUIRED: readonly string[] = configSchema.required;

/** Name, default and bounds, and what the setting means. */
function lineOf([name, property]: [string, Property]): string {
  const facts = [...fallbackOf(name, property), ...boundsOf(property)].join('; ');
  return `- \`${name}\`${facts === '' ? '' : ` (${facts})`}: ${property.description}`;
}

/** Without a default a setting is empty. */
function fallbackOf(name: string, property: Property): string[] {
  if (REQUIRED.includes(name)) return ['required'];
  return 'default' in property && property.default !== '' ? [String(property.default)] : [];
}

function boundsOf(property: Property): string[] {
  return property.type === 'integer' ? [`${property.minimum} to ${property.maximum}`] : [];
}
