const BEGINS = Buffer.from('"resource_');
/** A member name of two to four words, as the protocol has them. In a text, a backslash stands before the second quote. */
const SNAKE = /"[a-z]+(?:_[a-z]+){1,3}"(?=\s*:)/g;

/**
 * The JSON of a body whose members have the names of the protocol's definition, such as `resource_logs`, with those that the protocol
 * prescribes. Libraries of protobuf can write both, and the receiver of the collector reads both. Otherwise such a body has no known
 * member, and would get 200 without being counted.
 */
export function withCamelNames(body: Buffer): Buffer {
  if (!body.includes(BEGINS)) return body;
  // A body has few names, many times.
  const known = new Map<string, string>();
  const replaced = (name: string): string => {
    let camel = known.get(name);
    if (camel === undefined) known.set(name, (camel = camelOf(name)));
    return camel;
  };
  // Keeps each byte, so that what is no UTF-8 stays so.
  return Buffer.from(body.toString('latin1').replaceAll(SNAKE, replaced), 'latin1');
}

/** Whether a part of a body has such a name. */
export function hasSnakeName(part: Buffer): boolean {
  return part.toString('latin1').search(SNAKE) >= 0;
}

function camelOf(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}
