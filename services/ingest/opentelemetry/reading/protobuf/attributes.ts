import { type AttributeValue, BODY_VALUE, NESTED, isKnownAttribute, valueOfPlainBody } from '../mapping.ts';
import { MAX_ATTRIBUTES, SCALAR } from '../interpreting/series.ts';
import type { Wire } from './wire.ts';

const KEY_VALUE = { key: 1, value: 2 } as const;
const ANY_VALUE = { text: 1, boolean: 2, integer: 3, double: 4, map: 6 } as const;
const MAP = { pairs: 1 } as const;

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

/** Lists and maps are not read, however deep they nest. */
function readValue(wire: Wire, end: number): AttributeValue {
  let value: AttributeValue;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === ANY_VALUE.text) value = wire.text();
    else if (field === ANY_VALUE.boolean) value = wire.isTrue();
    else if (field === ANY_VALUE.integer) value = Number(wire.integer());
    else if (field === ANY_VALUE.double) value = wire.double();
    else {
      wire.skip();
      value = NESTED;
    }
  }
  return value;
}

/** The value that the body of a record has: as a member of a map, or as the body itself. */
export function readBody(wire: Wire, end: number): AttributeValue {
  const start = wire.at;
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === ANY_VALUE.map) return readMember(wire, wire.end());
    wire.skip();
  }
  wire.at = start;
  return valueOfPlainBody(readValue(wire, end));
}

function readMember(wire: Wire, end: number): AttributeValue {
  let value: AttributeValue;
  for (let pair = wire.nextOf(MAP.pairs, end); pair !== 0; pair = wire.nextOf(MAP.pairs, end)) {
    let name = '';
    let found: AttributeValue;
    for (let field = wire.next(pair); field !== 0; field = wire.next(pair)) {
      if (field === KEY_VALUE.key) name = wire.text();
      else if (field === KEY_VALUE.value) found = readValue(wire, wire.end());
      else wire.skip();
    }
    if (name === BODY_VALUE) value = found;
  }
  return value;
}

/** All attributes of a point, as name and value; undefined if they are too many, or one of them nests. */
export function readSeriesAttributes(
  wire: Wire,
  { field, end }: { readonly field: number; readonly end: number },
): [name: string, value: string][] | undefined {
  const attributes: [string, string][] = [];
  let unreadable = 0;
  for (let one = wire.nextOf(field, end); one !== 0; one = wire.nextOf(field, end)) {
    let [name, value]: [string, string | undefined] = ['', SCALAR.none()];
    for (let found = wire.next(one); found !== 0; found = wire.next(one)) {
      if (found === KEY_VALUE.key) name = wire.text();
      else if (found === KEY_VALUE.value) value = readScalar(wire, wire.end());
      else wire.skip();
    }
    if (value === undefined || attributes.length === MAX_ATTRIBUTES) unreadable += 1;
    else attributes.push([name, value]);
  }
  return unreadable > 0 ? undefined : attributes;
}

function readScalar(wire: Wire, end: number): string | undefined {
  let value: string | undefined = SCALAR.none();
  for (let field = wire.next(end); field !== 0; field = wire.next(end)) {
    if (field === ANY_VALUE.text) value = SCALAR.text(wire.text());
    else if (field === ANY_VALUE.boolean) value = SCALAR.boolean(wire.isTrue());
    else if (field === ANY_VALUE.integer) value = SCALAR.integer(wire.integer());
    else if (field === ANY_VALUE.double) value = SCALAR.double(wire.double());
    else {
      wire.skip();
      value = undefined;
    }
  }
  return value;
}
