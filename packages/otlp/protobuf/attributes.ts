import { type AttributeValue, isKnownAttribute } from '../mapping.ts';
import type { Wire } from './wire.ts';

const KEY_VALUE = { key: 1, value: 2 } as const;
const ANY_VALUE = { text: 1, boolean: 2 } as const;

type Read = Map<string, AttributeValue> | undefined;

/** Adds the attributes of a message of which anything is read. `field` is that of its attributes. */
export function readAttributes(
  wire: Wire,
  { field, end }: { readonly field: number; readonly end: number },
  earlier?: Read,
): Read {
  let attributes = earlier;
  for (let found = wire.next(end); found !== 0; found = wire.next(end)) {
    if (found === field) attributes = readAttribute(wire, wire.end(), attributes);
    else wire.skip();
  }
  return attributes;
}

function readAttribute(wire: Wire, end: number, attributes: Read): Read {
  let name: string | undefined;
  let value: AttributeValue;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === KEY_VALUE.key) name = knownName(wire.text());
    // A value may come before its name.
    else if (field === KEY_VALUE.value && name !== NOT_NEEDED) value = readValue(wire, wire.end());
    else wire.skip();
  }
  if (name === undefined || name === NOT_NEEDED) return attributes;
  return (attributes ?? new Map<string, AttributeValue>()).set(name, value);
}

const NOT_NEEDED = '';

function knownName(name: string): string {
  return isKnownAttribute(name) ? name : NOT_NEEDED;
}

/** Lists and numbers are not read, however deep they nest. */
function readValue(wire: Wire, end: number): AttributeValue {
  let value: AttributeValue;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === ANY_VALUE.text) value = wire.text();
    else if (field === ANY_VALUE.boolean) value = wire.isTrue();
    else wire.skip();
  }
  return value;
}
