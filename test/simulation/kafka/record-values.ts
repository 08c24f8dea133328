/** The position of the records in a record batch, and of their number. */
const RECORDS_AT = 61;
const COUNT_AT = 57;

/** The values of a record batch, as a broker reads them. */
export function recordValues(batch: Buffer): (Uint8Array | null)[] {
  const count = batch.readInt32BE(COUNT_AT);
  const values: (Uint8Array | null)[] = [];
  let at = RECORDS_AT;
  const readNumber = (): number => {
    let value = 0;
    let factor = 1;
    for (;;) {
      const byte = batch[at++] ?? 0;
      value += (byte & 0x7f) * factor;
      factor *= 128;
      if (byte < 0x80) break;
    }
    return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
  };
  const readBytes = (): Uint8Array | null => {
    const length = readNumber();
    if (length < 0) return null;
    at += length;
    return batch.subarray(at - length, at);
  };
  for (let index = 0; index < count; index += 1) {
    const length = readNumber();
    const end = at + length;
    at += 1; // attributes
    readNumber(); // time
    readNumber(); // offset
    readBytes(); // key
    values.push(readBytes());
    at = end;
  }
  return values;
}
