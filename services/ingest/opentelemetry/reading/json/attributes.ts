import {
  type AttributeValue,
  type Attributes,
  BODY_VALUE,
  FLAG_KEY,
  NESTED,
  NO_ATTRIBUTES,
  isKnownAttribute,
  valueOfPlainBody,
} from '../mapping.ts';
import {
  type Fields,
  doubleOf,
  fieldsOf,
  integerOf,
  isTrue,
  listOf,
  optionalFields,
  textOf,
} from './fields.ts';

/** The attributes of which anything is read. */
export function attributesOf({ attributes: list }: Fields): Attributes {
  let attributes: Map<string, AttributeValue> | undefined;
  for (const attribute of listOf(list)) {
    const { key, value } = fieldsOf(attribute);
    const name = textOf(key);
    if (isKnownAttribute(name))
      (attributes ??= new Map<string, AttributeValue>()).set(name, readValue(optionalFields(value)));
  }
  return attributes ?? NO_ATTRIBUTES;
}

/** Without a copy of other members, which took a tenth of the CPU of a body. */
function readValue(value: Fields): AttributeValue {
  const { stringValue, boolValue, intValue, doubleValue } = value;
  if (stringValue != null) return textOf(stringValue);
  if (boolValue != null) return isTrue(boolValue);
  if (intValue != null) return Number(integerOf(intValue));
  if (doubleValue != null) return doubleOf(doubleValue);
  return NESTED_VALUES.some((kind) => value[kind] != null) ? NESTED : undefined;
}

const NESTED_VALUES = ['arrayValue', 'kvlistValue', 'bytesValue'] as const;

/** The value that the body of a record has: as a member of a map, or as the body itself. */
export function bodyOf(body: Fields): AttributeValue {
  if (body['kvlistValue'] == null) return valueOfPlainBody(readValue(body));
  let found: AttributeValue;
  for (const pair of listOf(fieldsOf(body['kvlistValue'])['values'])) {
    const { key, value } = fieldsOf(pair);
    if (textOf(key) === BODY_VALUE) found = readValue(optionalFields(value));
  }
  return found;
}

/** Whether an attribute is that of flags. The attributes of everything else are not checked. */
export function mentionsFlag({ attributes }: Fields): boolean {
  return (
    Array.isArray(attributes) &&
    attributes.some(
      (attribute: unknown) =>
        typeof attribute === 'object' &&
        attribute !== null &&
        'key' in attribute &&
        attribute.key === FLAG_KEY,
    )
  );
}
