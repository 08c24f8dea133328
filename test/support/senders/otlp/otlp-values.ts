import { BinaryWriter, WireType } from '@bufbuild/protobuf/wire';

/** Values as OTLP distinguishes them: whole numbers are bigint. Lists and maps nest. */
export type OtlpValue = string | boolean | number | bigint | readonly OtlpValue[] | OtlpMap;
type OtlpMap = { readonly [name: string]: OtlpValue };

export type OtlpAttributes = Readonly<Record<string, OtlpValue>>;

export function writeAttributes(writer: BinaryWriter, field: number, attributes: OtlpAttributes = {}): void {
  for (const [key, value] of Object.entries(attributes))
    embed(
      writer,
      field,
      finish((pair) => {
        pair.tag(1, WireType.LengthDelimited).string(key);
        embed(pair, 2, valueBytes(value));
      }),
    );
}

export function valueBytes(value: OtlpValue): Uint8Array {
  return finish((writer) => {
    if (typeof value === 'string') writer.tag(1, WireType.LengthDelimited).string(value);
    else if (typeof value === 'boolean') writer.tag(2, WireType.Varint).bool(value);
    else if (typeof value === 'bigint') writer.tag(3, WireType.Varint).int64(value);
    else if (typeof value === 'number') writer.tag(4, WireType.Bit64).double(value);
    else embed(writer, isList(value) ? 5 : 6, nestedBytes(value));
  });
}

function nestedBytes(value: readonly OtlpValue[] | OtlpMap): Uint8Array {
  return finish((writer) => {
    if (!isList(value)) writeAttributes(writer, 1, value);
    else for (const item of value) embed(writer, 1, valueBytes(item));
  });
}

function isList(value: readonly OtlpValue[] | OtlpMap): value is readonly OtlpValue[] {
  return Array.isArray(value);
}

export function attributesJson(attributes: OtlpAttributes = {}): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: valueJson(value) }));
}

export function valueJson(value: OtlpValue): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'bigint') return { intValue: String(value) };
  if (typeof value === 'number') return { doubleValue: Number.isFinite(value) ? value : String(value) };
  if (isList(value)) return { arrayValue: { values: value.map(valueJson) } };
  return { kvlistValue: { values: attributesJson(value) } };
}

export function embed(writer: BinaryWriter, field: number, bytes: Uint8Array): void {
  writer.tag(field, WireType.LengthDelimited).bytes(bytes);
}

export function finish(write: (writer: BinaryWriter) => void): Uint8Array<ArrayBuffer> {
  const writer = new BinaryWriter();
  write(writer);
  return new Uint8Array(writer.finish());
}
