import { Option } from 'commander';

/** The option of every command that lists something. */
export function jsonOption(): Option {
  return new Option('--json', 'print one JSON document').default(false);
}

/** Prints one document. Sums are decimal strings, because they may be larger than a double holds exactly. */
export function printJson(document: unknown): void {
  console.log(JSON.stringify(document, toJson, 2));
}

function toJson(_name: string, value: unknown): unknown {
  if (typeof value === 'bigint') return value.toString();
  return value instanceof Map ? Object.fromEntries(value) : value;
}
